import { describe, expect } from 'vitest';
import { WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import type { BroadPhase } from '../../../src/core/contact/settings';
import { defineWorld, type World } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { Pairs } from '../../../src/passes/query/pairs';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { sortPairs } from '../../../src/reference/query/pair-list';
import { findPairs } from '../../../src/reference/query/pairs';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  shuffled,
  uploadGrid,
  uploadVectors,
} from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];
const GUARD = 0xdead_beef;

async function pairsOf(
  tools: GpuTools,
  world: World,
  grid: Grid,
  broadPhase: BroadPhase,
  room: number,
  fold?: number,
): Promise<{ tallies: Uint32Array; pairs: Uint32Array }> {
  const gpu = tools.wrap(fold);
  const count = grid.ids.length;
  const ids = grid.slots.length;
  const passes = await Pairs.create(gpu, world, broadPhase);
  const { position, id, start, cell_of_slot } = uploadGrid(tools, world, grid);
  const state = { position_in: position, id_in: id, start, cell_of_slot };
  const shared = await share(gpu, world, count);
  const tallied = tools.allocate('tallies', 4 * (ids + 1));
  const tally = passes.bind('tally', { ...state, tallies: tallied });
  runPass(gpu, (pass) => passes.encode(pass, shared, 'tally', tally, count));
  const tallies = await readWords(tools, tallied, ids + 1);
  const offsets = exclusiveScan(tallies).map((offset) => Math.min(offset, room));
  const list = tools.upload('pairs', new Uint32Array(2 * room + 2).fill(GUARD));
  const fill = passes.bind('fill', { ...state, offsets: tools.upload('offsets', offsets), pairs: list });
  runPass(gpu, (pass) => passes.encode(pass, shared, 'fill', fill, count));
  return { tallies, pairs: await readWords(tools, list, 2 * room + 2) };
}

function sceneGrid(name: string, dimensions: 2 | 3, count: number): { world: World; grid: Grid } {
  const scene = createScene(name, { dimensions, count });
  const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
  const ids = shuffled(
    Uint32Array.from({ length: count }, (_, index) => 2 * index + 1),
    createNoise(count),
  );
  return { world, grid: buildGrid(world, scene.positions, undefined, ids) };
}

describe.each(DIMENSIONS)('the passes of pairs in %dD', (dimensions) => {
  const cases = [
    ...EQUAL_RADIUS_SCENES.map((name) => ({ name, count: 200, fold: undefined })),
    ...[...SMALL_COUNTS, MOST_FOLDED].map((count) => ({ name: 'uniform', count, fold: FOLD })),
  ];
  for (const { name, count, fold } of cases) {
    for (const broadPhase of BROAD_PHASES) {
      gpuTest(
        `list each pair once, under its lower id: scene ${name}, ${count} particles, broad phase ${broadPhase}`,
        async (_, tools) => {
          const { world, grid } = sceneGrid(name, dimensions, count);
          const expected = findPairs(world, world.diameter, grid);
          const { tallies, pairs } = await pairsOf(tools, world, grid, broadPhase, expected.count, fold);
          const wanted = new Uint32Array(grid.slots.length + 1);
          for (let pair = 0; pair < expected.count; pair++) {
            const first = expected.pairs[2 * pair] as number;
            wanted[first] = (wanted[first] as number) + 1;
          }
          expectArraysEqual(tallies, wanted, 'tallies');
          const written = pairs.slice(0, -2);
          const grouped = written.filter((_word, index) => index % 2 === 0);
          expectArraysEqual(grouped, grouped.toSorted(), 'first ids');
          expectArraysEqual(sortPairs(written).pairs, expected.pairs, 'pairs');
          expect([...pairs.slice(-2)]).toEqual([GUARD, GUARD]);
        },
        SHARED_CASE,
      );
    }
  }

  gpuTest(
    'write no more pairs than fit',
    async (_, tools) => {
      const { world, grid } = sceneGrid('one-cell', dimensions, 100);
      const { count } = findPairs(world, world.diameter, grid);
      for (const room of [0, 1, Math.floor(count / 2)]) {
        const { pairs } = await pairsOf(tools, world, grid, 'grid', room);
        expect(pairs.slice(0, -2).includes(GUARD)).toBe(false);
        expect([...pairs.slice(-2)]).toEqual([GUARD, GUARD]);
      }
    },
    SHARED,
  );
});

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

/** Returns the pairs up to the last id whose pairs all fit the list. */
function fitting(pairs: Uint32Array, capacity: number): Uint32Array {
  let end = Math.min(pairs.length, 2 * capacity);
  while (end > 0 && end < pairs.length && pairs[end] === pairs[end - 2]) end -= 2;
  return pairs.subarray(0, end);
}

describe.each(DIMENSIONS)('pairs of a grid in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `equal brute force in every search on the scene ${name}`,
      async (device, tools) => {
        const count = name === 'one-cell' ? 60 : 700;
        const { grid, pairs, expected, search } = await prepare(tools, name, dimensions, count, 100_000);
        for (let round = 0; round < 2; round++) {
          search(device);
          const listed = await pairs.read();
          expect([listed.found, listed.count]).toEqual([expected.count, expected.count]);
          expectArraysEqual(listed.pairs, expected.pairs, 'pairs');
        }
        search(device, Math.floor(count / 2));
        const { found } = await pairs.read();
        const half = expected.pairs
          .filter((_, index) => index % 2 === 1)
          .filter((id) => id < Math.floor(count / 2));
        expect(found).toBe(half.length);
        search(device, 0);
        expect(await pairs.read()).toEqual({ found: 0, count: 0, pairs: new Uint32Array(0) });
        grid.destroy();
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'end before the first id whose pairs do not all fit the list, and the search reports the needed capacity',
    async (device, tools) => {
      const { grid, pairs, expected, search } = await prepare(tools, 'uniform', dimensions, 500, 99);
      expect(pairs.capacity).toBe(100);
      expect(expected.count).toBeGreaterThan(200);
      search(device);
      const listed = await pairs.read();
      const whole = fitting(expected.pairs, 100);
      expect(whole.length).toBeGreaterThan(150);
      expect([listed.found, listed.count]).toEqual([expected.count, whole.length / 2]);
      expectArraysEqual(listed.pairs, whole, 'pairs');
      grid.destroy();
      expect(() => pairs.encode(device.createCommandEncoder())).toThrow(DestroyedError);
    },
    SHARED,
  );

  gpuTest(
    'include all pairs of an id or none of them if the list is too short',
    async (device, tools) => {
      // The first ids have about 50 pairs each, so most of these capacities end amid the pairs of an id.
      for (const capacity of [2, 10, 58, 60, 116, 118, 1000]) {
        const { grid, pairs, expected, search } = await prepare(tools, 'one-cell', dimensions, 60, capacity);
        search(device);
        const { found, pairs: listed } = await pairs.read();
        expect(found).toBe(expected.count);
        expectArraysEqual(listed, fitting(expected.pairs, capacity), `pairs of ${capacity}`);
        grid.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'come with the arguments of an indirect dispatch of one thread per pair',
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
  'pairs of a grid reject invalid options',
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
  'reading returns the pairs of one search if others are submitted meanwhile, whether the list is short or long',
  async (device, tools) => {
    for (const [name, count] of [
      ['uniform', 500],
      ['one-cell', 200],
    ] as const) {
      const { grid, pairs, expected, search } = await prepare(tools, name, 2, count, 40_000);
      // Only the list of one-cell is longer than the first copy to the host.
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
