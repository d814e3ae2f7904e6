/** Tests the harness itself: an error that it misses would go unnoticed in every other GPU test. */
import { describe, expect, test } from 'vitest';
import { expectArraysEqual, expectArraysWithin, gpuTest, SHARED, withDevice } from '../../helpers/node-gpu';

const DOUBLE = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&values)) { values[id.x] *= 2u; }
}`;

describe('a GPU test', () => {
  gpuTest('runs a kernel', async (device, { upload, read, liveBuffers }) => {
    const numbers = Uint32Array.from({ length: 1000 }, (_, index) => index);
    const buffer = upload('numbers', numbers);
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code: DOUBLE }) },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const layout = pipeline.getBindGroupLayout(0);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
    pass.dispatchWorkgroups(Math.ceil(numbers.length / 64));
    pass.end();
    device.queue.submit([encoder.finish()]);
    expectArraysEqual(
      new Uint32Array(await read(buffer)),
      numbers.map((value) => value * 2),
      'doubled',
    );
    expect(liveBuffers()).toEqual(['numbers']);
  });

  gpuTest('fails on a validation error', async () => {
    const body = withDevice((device) => void device.createBuffer({ size: 4, usage: 0 }));
    await expect(body).rejects.toThrow(/validation error/);
  });

  gpuTest('fails on a shader that does not compile', async () => {
    const body = withDevice((device) => void device.createShaderModule({ code: 'fn broken(' }));
    await expect(body).rejects.toThrow(/validation error/);
  });

  gpuTest('keeps the error of its body', async () => {
    const body = withDevice(() => expect.fail('mine'));
    await expect(body).rejects.toThrow('mine');
  });
});

describe('a device that a file shares', () => {
  const seen: GPUDevice[] = [];

  for (const turn of ['first', 'second']) {
    gpuTest(
      `is the same in its ${turn} test, and empty`,
      (device, { allocate, liveBuffers, wrap }) => {
        expect(liveBuffers()).toEqual([]);
        allocate(turn, 16);
        expect(wrap()).toBe(wrap());
        expect(wrap(2)).not.toBe(wrap());
        seen.push(device);
        expect(new Set(seen).size).toBe(1);
      },
      SHARED,
    );
  }

  gpuTest('is separate from the devices of other tests, and accepts no options', async (device) => {
    expect(seen).not.toContain(device);
    const body = withDevice(() => undefined, { shared: true, without: ['subgroups'] });
    await expect(body).rejects.toThrow('a shared device has the default options.');
  });

  gpuTest('still fails on a validation error', async () => {
    const body = withDevice((device) => void device.createBuffer({ size: 4, usage: 0 }), SHARED);
    await expect(body).rejects.toThrow(/validation error/);
  });
});

describe('expectArraysEqual', () => {
  test('shows the first mismatches in a table', () => {
    const got = Uint32Array.of(1, 2, 3, 4000);
    expect(() => expectArraysEqual(got, Uint32Array.of(1, 5, 3, 4), 'starts')).toThrow(
      'starts: 2 of 4 values differ.\n  index   got  expected\n      1     2         5\n      3  4000         4',
    );
  });

  test('distinguishes −0 from 0, and accepts NaN as equal to NaN', () => {
    expectArraysEqual([Number.NaN], [Number.NaN], 'numbers');
    expect(() => expectArraysEqual([-0], [0], 'numbers')).toThrow('-0');
  });

  test('compares the lengths', () => {
    expect(() => expectArraysEqual([1], [1, 2], 'numbers')).toThrow('1 values instead of 2');
    expect(() => expectArraysWithin([1], [1.5], 0.25, 'numbers')).toThrow('are more than 0.25 apart');
  });
});
