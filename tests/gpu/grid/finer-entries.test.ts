/** Tests the kernels of finer entries with inputs that a sort rarely or never gives them. */
import { describe, expect } from 'vitest';
import {
  CROWD_BIT,
  CROWD_HEADER,
  CROWD_TILE,
  CROWDED,
  FINER_BUCKETS,
  FINER_HEADER,
  FINER_STEPS,
  WORKGROUP_SIZE,
} from '../../../src/core/base/constants';
import { finerBuckets, startLength } from '../../../src/core/world/cells';
import { defineLevels } from '../../../src/core/world/level-world';
import type { Dimensions, World, WorldOptions } from '../../../src/core/world/world';
import { Kernel } from '../../../src/gpu/kernel';
import { toBodies } from '../../../src/gpu/layout';
import { FinerEntries } from '../../../src/passes/grid/finer-entries';
import { createNoise } from '../../../src/testing/noise';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, runPass, share, shuffled } from '../../helpers/passes';

const GUARD = 0xffff_ffff;

/** Particles of radius 0.5 are on level 0, and those of radius 2 ** level / 2 on `level`. */
function worldOf(options: WorldOptions, levels: number, capacity: number): World {
  const radii = { smallest: 0.5, largest: 2 ** (levels - 2) };
  const world = defineLevels({ ...options, cellSize: 1 }, radii, capacity);
  expect(world.levels).toBe(levels);
  return world;
}

function boxOf(dimensions: Dimensions): WorldOptions {
  const corner = cornersIn(dimensions);
  return { dimensions, min: corner(0), max: corner(16) };
}

describe.each(DIMENSIONS)('finer entries in %dD', (dimensions) => {
  gpuTest(
    'begin with a word that has a bit per occupied level, or a bit per level if the levels are too few for finer entries',
    async (_, tools) => {
      const gpu = tools.wrap();
      const radii = Float32Array.of(0.5, 8, 0.25, Number.NaN, 2);
      const given = tools.upload(
        'given',
        toBodies(dimensions, new Float32Array(radii.length * dimensions), { radii }),
      );
      for (const [options, levels, occupied] of [
        [boxOf(dimensions), 1, 0b1],
        [boxOf(dimensions), 2, 0b11],
        [boxOf(dimensions), 5, 0b10101],
        [{ dimensions, unbounded: true }, 1, 0b1],
        [{ dimensions, unbounded: true }, 5, 0b10101],
      ] as const) {
        const world = worldOf(options, levels, radii.length);
        const entries = await FinerEntries.create(gpu, world, radii.length);
        gpu.device.queue.writeBuffer(entries.list, 0, Uint32Array.of(GUARD, GUARD));
        const unused = tools.allocate('unused', 16);
        const binding = entries.bind({
          start: unused,
          counts: tools.allocate('counts', 16),
          crowd: tools.allocate('crowd', 16),
          given,
          position_in: unused,
          cell_of_slot: unused,
        });
        const shared = await share(gpu, world, radii.length);
        runPass(gpu, (pass) => entries.encodeLevels(pass, shared, binding, radii.length));
        expect([...(await readWords(tools, entries.list, 2))]).toEqual([occupied, GUARD]);
        entries.destroy();
      }
    },
    SHARED,
  );

  gpuTest(
    'are listed for each cell, and only crowded lists are divided into tiles, one per workgroup',
    async (_, tools) => {
      const gpu = tools.wrap();
      for (const [count, tiles] of [
        [CROWDED, 0],
        [CROWDED + 1, 1],
        [CROWD_TILE, 1],
        [2 * CROWD_TILE + 1, 3],
      ] as const) {
        // All particles are in the first cell of level 0. Only one higher level is occupied.
        const world = worldOf(boxOf(dimensions), 5, count);
        const level = FINER_STEPS;
        const bucket = world.cellCount + FINER_BUCKETS;
        const kernel = await Kernel.create(gpu, FinerEntries.describe(world, 'list'));
        // Entries of another bucket come first, and must stay as they are.
        const others = 7;
        const first = FINER_HEADER + others;
        const finer = new Uint32Array(first + count + 1).fill(GUARD);
        finer[0] = 1 | (1 << level);
        const radii = new Float32Array(count).fill(0.5);
        const buffers = {
          finer: tools.upload('finer', finer),
          start: tools.upload('start', new Uint32Array(startLength(world)).fill(count + others)),
          counts: tools.allocate('counts', 4 * startLength(world)),
          crowd: tools.upload('crowd', new Uint32Array(CROWD_HEADER + 8)),
          position_in: tools.upload(
            'position',
            toBodies(dimensions, new Float32Array(count * dimensions), { radii }),
          ),
          cell_of_slot: tools.allocate('cell', (dimensions === 2 ? 8 : 16) * count),
        };
        const shared = await share(gpu, world, count);
        const workgroups = Math.ceil(count / WORKGROUP_SIZE);
        runPass(gpu, (pass) => kernel.encode(pass, shared, kernel.bind(buffers), workgroups));
        const words = await readWords(tools, buffers.finer, finer.length);
        expect(words[0]).toBe((finer[0] | (tiles > 0 ? 1 << CROWD_BIT : 0)) >>> 0);
        finer.set(words.subarray(0, 1));
        finer.set(
          Uint32Array.from({ length: count }, (_value, slot) => slot),
          first,
        );
        words.subarray(first, first + count).sort();
        expectArraysEqual(words, finer, 'finer');
        const counts = new Uint32Array(startLength(world));
        counts[bucket] = count;
        expectArraysEqual(await readWords(tools, buffers.counts, counts.length), counts, 'counts');
        const crowd = await readWords(tools, buffers.crowd, CROWD_HEADER + 8);
        expect([...crowd.subarray(0, CROWD_HEADER)]).toEqual([tiles, 0, tiles, 0, 0, 0, 0, 0]);
        const listed = [...crowd.subarray(CROWD_HEADER)];
        const pairs = [0, 1, 2, 3].map((tile) => listed.slice(2 * tile, 2 * tile + 2));
        const expected = [0, 1, 2, 3].map((tile) => (tile < tiles ? [bucket, tile] : [0, 0]));
        expect(new Set(pairs.map(String))).toEqual(new Set(expected.map(String)));
      }
    },
    SHARED,
  );

  gpuTest(
    'are sorted in every list that is not crowded, up to the last bucket and not beyond',
    async (_, tools) => {
      const gpu = tools.wrap();
      const world = worldOf(boxOf(dimensions), 5, 1000);
      const buckets = finerBuckets(world);
      // Some threads have no bucket.
      expect(buckets % WORKGROUP_SIZE).toBeGreaterThan(0);
      const count = 900;
      const noise = createNoise(3);
      const lengths = Array.from({ length: buckets }, (_value, bucket) =>
        bucket === 2 ? CROWDED + 1 : bucket === 4 ? CROWDED : bucket > buckets - 3 ? 9 : bucket % 3,
      );
      const end = startLength(world) - 1;
      // The words behind the last bucket look like one more list, of three entries.
      const start = new Uint32Array(end + 2);
      const counts = new Uint32Array(end + 1).fill(GUARD);
      const given: number[] = [];
      const expected: number[] = [];
      lengths.forEach((length, bucket) => {
        const index = end - buckets + bucket;
        start[index] = count + given.length;
        const list = shuffled(
          Array.from({ length }, (_value, entry) => 64 * entry + 2),
          noise,
        );
        given.push(...list);
        expected.push(...(length > CROWDED ? list : list.toSorted((a, b) => a - b)));
        if (length > 0) counts[index] = 0;
      });
      start.fill(count + given.length, end);
      start[end + 1] = count + given.length + 3;
      const behind = [3, 2, 1];
      const kernel = await Kernel.create(gpu, FinerEntries.describe(world, 'order'));
      const buffers = {
        finer: tools.upload('finer', Uint32Array.of(GUARD, ...given, ...behind)),
        start: tools.upload('start', start),
        counts: tools.upload('counts', new Uint32Array(end + 1).fill(GUARD)),
      };
      const shared = await share(gpu, world, count);
      const workgroups = Math.ceil(buckets / WORKGROUP_SIZE);
      runPass(gpu, (pass) => kernel.encode(pass, shared, kernel.bind(buffers), workgroups));
      const finer = await readWords(tools, buffers.finer, FINER_HEADER + given.length + behind.length);
      expectArraysEqual(finer, Uint32Array.of(GUARD, ...expected, ...behind), 'finer');
      expectArraysEqual(await readWords(tools, buffers.counts, end + 1), counts, 'counts');
    },
    SHARED,
  );
});
