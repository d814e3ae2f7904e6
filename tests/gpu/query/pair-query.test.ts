/**
 * Tests lists of pairs on the GPU: they equal brute force, are in canonical order and counted, and never exceed the
 * buffer.
 */
import { describe, expect } from 'vitest';
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import { defineWorld } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { createScene, worldOptions } from '../../../src/scenes';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';
import { inTurns } from '../../helpers/thorough';

async function prepare(
  tools: GpuTools,
  name: string,
  dimensions: 2 | 3,
  count: number,
  capacity: number,
  fold?: number,
) {
  const scene = createScene(name, { dimensions, count });
  const diameter = 2 * scene.radius;
  const grid = await HashGrid.create(tools.wrap(fold), { ...worldOptions(scene), diameter, capacity: count });
  const pairs = await grid.pairs({ capacity });
  const positions = uploadVectors(tools, dimensions, 'positions', scene.positions);
  const world = defineWorld(worldOptions(scene), diameter, count);
  const { overlapping } = bruteForcePairs(dimensions, scene.positions, diameter, undefined, world.period);
  const search = (device: GPUDevice, particles = count) => {
    const encoder = device.createCommandEncoder();
    grid.encode(encoder, { positions, count: particles });
    pairs.encode(encoder);
    device.queue.submit([encoder.finish()]);
  };
  return { scene, grid, pairs, expected: overlapping, search };
}

describe.each(DIMENSIONS)('pairs of a grid in %dD', (dimensions) => {
  gpuTest(
    'equal brute force on every scene, in order, search after search',
    async (device, tools) => {
      for (const name of inTurns(dimensions, EQUAL_RADIUS_SCENES)) {
        const count = name === 'one-cell' ? 60 : 700;
        const { grid, pairs, expected, search } = await prepare(tools, name, dimensions, count, 100_000);
        for (let round = 0; round < 2; round++) {
          search(device);
          const listed = await pairs.read();
          expect([listed.found, listed.count], name).toEqual([expected.count, expected.count]);
          expectArraysEqual(listed.pairs, expected.pairs, name);
        }
        // A search over fewer particles leaves no pairs of the others.
        search(device, Math.floor(count / 2));
        const { found } = await pairs.read();
        const half = expected.pairs
          .filter((_, index) => index % 2 === 1)
          .filter((id) => id < Math.floor(count / 2));
        expect(found, name).toBe(half.length);
        search(device, 0);
        expect(await pairs.read()).toEqual({ found: 0, count: 0, pairs: new Uint32Array(0) });
        grid.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'are the first ones if the list is too short, which reports the needed capacity',
    async (device, tools) => {
      const { grid, pairs, expected, search } = await prepare(tools, 'uniform', dimensions, 500, 99);
      expect(pairs.capacity).toBe(100);
      expect(expected.count).toBeGreaterThan(200);
      search(device);
      const listed = await pairs.read();
      expect([listed.found, listed.count]).toEqual([expected.count, 100]);
      // The list holds all pairs of earlier ids, and some of the id at which it ends.
      const last = expected.pairs[198] as number;
      const whole = listed.pairs.filter((_, index) => (listed.pairs[index - (index % 2)] as number) < last);
      expectArraysEqual(whole, expected.pairs.subarray(0, whole.length), 'pairs');
      expect([...listed.pairs.subarray(whole.length)].filter((_, index) => index % 2 === 0)).toEqual(
        new Array((200 - whole.length) / 2).fill(last),
      );
      grid.destroy();
      expect(() => pairs.encode(device.createCommandEncoder())).toThrow(DestroyedError);
    },
    SHARED,
  );

  gpuTest(
    'come with arguments for a dispatch of one thread per pair',
    async (device, tools) => {
      const { grid, pairs, expected, search } = await prepare(tools, 'clustered', dimensions, 900, 30_000, 2);
      const module = device.createShaderModule({
        code: `
          @group(0) @binding(0) var<storage, read> count: array<u32>;
          @group(0) @binding(1) var<storage, read_write> seen: atomic<u32>;
          @compute @workgroup_size(${WORKGROUP_SIZE})
          fn touch(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
                   @builtin(local_invocation_index) thread: u32) {
            let pair = (group.y * groups.x + group.x) * ${WORKGROUP_SIZE}u + thread;
            if (pair < count[1]) { atomicAdd(&seen, 1u); }
          }`,
      });
      const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
      const seen = tools.allocate('seen', 16);
      search(device);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: { buffer: pairs.count } },
            { binding: 1, resource: { buffer: seen } },
          ],
        }),
      );
      pass.dispatchWorkgroupsIndirect(pairs.count, pairs.dispatchOffset);
      pass.end();
      device.queue.submit([encoder.finish()]);
      expect((await readWords(tools, seen, 1))[0]).toBe(expected.count);
      expect(expected.count).toBeGreaterThan(3 * WORKGROUP_SIZE);
      grid.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'pairs reject invalid options',
  async (device, tools) => {
    const { grid, pairs } = await prepare(tools, 'gas', 2, 10, 10);
    await expect(grid.pairs({ capacity: 0 })).rejects.toThrow(ArgumentError);
    await expect(grid.pairs({ capacity: 1, order: 2 } as never)).rejects.toThrow(/^options\.order is 2, /);
    const attempt = grid.pairs({ capacity: 2 ** 30 });
    await expect(attempt).rejects.toThrow(LimitError);
    await expect(attempt).rejects.toThrow(
      /^A list of 1073741824 pairs takes 8589934592 bytes, .* pairs fit\.$/,
    );
    expect(() => pairs.encode(device.createCommandEncoder())).toThrow(/has not been encoded yet/);
    grid.destroy();
    await expect(grid.pairs({ capacity: 1 })).rejects.toThrow(DestroyedError);
  },
  SHARED,
);

gpuTest(
  'reading returns a list of one search, even if others are submitted meanwhile, for short and long lists',
  async (device, tools) => {
    for (const [name, count] of [
      ['uniform', 500],
      ['one-cell', 200],
    ] as const) {
      const { grid, pairs, expected, search } = await prepare(tools, name, 2, count, 40_000);
      // One list is longer than the first copy, one shorter.
      expect(8 * expected.count > 1 << 16).toBe(name === 'one-cell');
      const few = Math.floor(count / 2);
      const ofFew = expected.pairs.filter((_, index, all) => (all[index | 1] as number) < few);
      search(device);
      const reading = pairs.read();
      search(device, few);
      const { found, pairs: got } = await reading;
      expect(got.length).toBe(2 * found);
      expectArraysEqual(got, found === expected.count ? expected.pairs : ofFew, name);
      search(device);
      expectArraysEqual((await pairs.read()).pairs, expected.pairs, name);
      grid.destroy();
    }
  },
  SHARED,
);
