/** Tests the kit itself: an error that it misses would go unnoticed in every other GPU test. */
import { describe, expect, test } from 'vitest';
import { wrapDevice } from '../../../src/gpu/device';
import { testPreference } from '../../../src/testing/environment';
import { createGpuTest } from '../../../src/testing/gpu-test';
import { expectArraysEqual, gpuTest, SHARED, withDevice } from '../../helpers/node-gpu';

const DOUBLE = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&values)) { values[id.x] *= 2u; }
}`;

describe('a GPU test', () => {
  const kit = createGpuTest(test, { driver: testPreference() });

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

  gpuTest('fails on an error even if its body then destroys the device or pops an extra scope', async () => {
    const [inBuffer, inShader] = [
      (device: GPUDevice) => void device.createBuffer({ size: 4, usage: 0 }),
      (device: GPUDevice) => void device.createShaderModule({ code: 'fn broken(' }),
    ];
    for (const fail of [inBuffer, inShader]) {
      const destroying = kit.withDevice(
        (device) => {
          fail(device);
          wrapDevice(device).destroy();
        },
        { leaks: 'allow' },
      );
      await expect(destroying).rejects.toThrow(/validation error/);
      const popping = kit.withDevice(
        async (device) => {
          fail(device);
          await device.popErrorScope().catch(() => undefined);
        },
        { leaks: 'allow' },
      );
      await expect(popping).rejects.toThrow(/validation error/);
    }
    await kit.withDevice((device) => device.destroy());
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
      `is the same device in the ${turn} test of the file, and has no buffers when the test begins`,
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

  gpuTest('is not given to a test that opens another device, and accepts no options', async (device) => {
    expect(seen).not.toContain(device);
    const body = withDevice(() => undefined, { shared: true, without: ['subgroups'] });
    await expect(body).rejects.toThrow('a shared device has the default options.');
  });

  gpuTest('still makes its test fail on a validation error', async () => {
    const body = withDevice((device) => void device.createBuffer({ size: 4, usage: 0 }), SHARED);
    await expect(body).rejects.toThrow(/validation error/);
  });
});

describe('a test that leaves objects undestroyed', () => {
  const kit = createGpuTest(test, { driver: testPreference() });

  gpuTest('fails, and its error lists their kinds, labels and sizes', async () => {
    const body = kit.withDevice((device, { allocate }) => {
      allocate('a buffer of the tools', 64);
      device.createBuffer({ label: 'kept', size: 64, usage: 0x80 });
      device.createBuffer({ size: 32, usage: 0x80 });
      device.createBuffer({ label: 'destroyed', size: 16, usage: 0x80 }).destroy();
      device.createTexture({ label: 'picture', size: [4, 4], format: 'r8unorm', usage: 0x10 });
      device.createQuerySet({ label: 'visible', type: 'occlusion', count: 2 });
    });
    await expect(body).rejects.toThrow(
      "The test left objects that it did not destroy; destroy them, or pass leaks: 'allow':\n" +
        'buffer "kept" of 64 bytes\nbuffer without a label of 32 bytes\ntexture "picture"\nquery set "visible"',
    );
  });

  gpuTest('passes if it allows leaks, and the next test of the device finds no leaks', async () => {
    const leave = (device: GPUDevice) => void device.createBuffer({ size: 64, usage: 0x80 });
    await kit.withDevice(leave, { leaks: 'allow', shared: true });
    await kit.withDevice((_, { liveBuffers }) => expect(liveBuffers()).toEqual([]), { shared: true });
    await expect(kit.withDevice(leave, { shared: true })).rejects.toThrow(
      'buffer without a label of 64 bytes',
    );
  });
});

test('concurrent tests of a shared device keep their buffers', async () => {
  const kit = createGpuTest(test, { driver: testPreference(), shared: true });
  const run = (milliseconds: number) =>
    kit.withDevice(async (_, { upload, expectBuffer }) => {
      const buffer = upload('values', Uint32Array.of(milliseconds));
      await new Promise((done) => setTimeout(done, milliseconds));
      await expectBuffer(buffer).toEqual(Uint32Array.of(milliseconds));
    });
  await Promise.all([run(50), run(0)]);
});

describe('the device of a GPU test', () => {
  const kit = createGpuTest(test, { driver: testPreference() });

  gpuTest('has the limits and features that the test requests', async () => {
    const limits = { maxStorageBuffersPerShaderStage: 9 };
    await kit.withDevice((device) => expect(device.limits.maxStorageBuffersPerShaderStage).toBe(9), {
      limits,
    });
    const lacking = { features: ['no-such-feature' as GPUFeatureName] };
    await expect(kit.withDevice(() => undefined, lacking)).rejects.toThrow(
      /^The adapter lacks no-such-feature\. It has .*\.$/,
    );
    await kit.withDevice((device) => expect([...device.features]).not.toContain('no-such-feature'), {
      optionalFeatures: lacking.features,
    });
  });

  gpuTest('is opened again after a test lost it', async () => {
    const seen: GPUDevice[] = [];
    const run = () => kit.withDevice((device) => void seen.push(device), { shared: true });
    await run();
    await run();
    expect(seen[1]).toBe(seen[0]);
    seen[0]?.destroy();
    await seen[0]?.lost;
    await run();
    expect(seen[2]).not.toBe(seen[0]);
  });
});

describe('expectBuffer', () => {
  gpuTest('compares what was uploaded, without the padding', async (_, { upload, expectBuffer }) => {
    const buffer = upload('values', Float32Array.of(1, 2.5, Number.NaN));
    await expectBuffer(buffer).toEqual(Float32Array.of(1, 2.5, Number.NaN));
    await expectBuffer(buffer, { offset: 4, bytes: 4 }).toEqual(Float32Array.of(2.5));
    await expect(expectBuffer(buffer).toEqual(Float32Array.of(1, 2.5))).rejects.toThrow(
      'values: 3 values instead of 2; of the first 2, 0 differ.',
    );
    await expect(expectBuffer(buffer).toEqual(Float32Array.of(1, 2, 3))).rejects.toThrow(
      'values: 2 of 3 values differ.\n  index  got  expected\n      1  2.5         2\n      2  NaN         3',
    );
  });

  gpuTest('fails if the bytes are no whole number of values', async (_, { upload, read, expectBuffer }) => {
    const buffer = upload('halves', Uint16Array.of(1, 0, 9));
    expect((await read(buffer)).byteLength).toBe(6);
    expect((await read(buffer, 4)).byteLength).toBe(2);
    await expect(expectBuffer(buffer).toEqual(Uint32Array.of(1))).rejects.toThrow(
      'halves: 6 bytes are not a whole number of 4-byte values; pass { bytes } to compare fewer.',
    );
    await expect(expectBuffer(buffer).toBeCloseTo(Uint32Array.of(1), 1)).rejects.toThrow('6 bytes');
    await expectBuffer(buffer, { bytes: 4 }).toEqual(Uint32Array.of(1));
  });

  gpuTest('compares within a tolerance', async (_, { upload, expectBuffer }) => {
    const buffer = upload('values', Float32Array.of(1, 2));
    await expectBuffer(buffer).toBeCloseTo(Float32Array.of(1.25, 1.75), 0.25);
    await expect(expectBuffer(buffer).toBeCloseTo(Float32Array.of(1, 3), 0.5)).rejects.toThrow(
      'values: 1 of 2 values are more than 0.5 apart.\n  index  got  expected\n      1    2         3',
    );
    await expect(expectBuffer(buffer).toBeCloseTo(Float32Array.of(1, 3), -1)).rejects.toThrow(
      'tolerance is -1, but it must be a number of at least 0.',
    );
  });

  gpuTest('reads other types, and buffers that the test made', async (device, { upload, expectBuffer }) => {
    await expectBuffer(upload('bytes', Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2, 3));
    await expectBuffer(upload('keys', BigUint64Array.of(2n ** 40n))).toEqual(BigUint64Array.of(2n ** 40n));
    const own = device.createBuffer({ size: 8, usage: 0x04 });
    await expectBuffer(own).toEqual(Uint32Array.of(0, 0));
  });

  gpuTest('names what it cannot compare', async (device, { upload, expectBuffer }) => {
    const buffer = upload('values', Float32Array.of(1));
    await expect(expectBuffer(buffer).toEqual([1] as never)).rejects.toThrow(
      'expected is [1], but it must be a typed array such as Float32Array, whose type says how to read the buffer.',
    );
    const unread = device.createBuffer({ label: 'unread', size: 16, usage: 0x80 });
    await expect(expectBuffer(unread).toEqual(new Float32Array(4))).rejects.toThrow(
      'buffer is the buffer "unread" of 16 bytes and usage STORAGE, but it must be a buffer with the usage COPY_SRC.',
    );
  });
});
