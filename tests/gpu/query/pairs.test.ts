/** Compares overlapping pairs with brute force: each pass by itself, and all of them through findPairs(). */

import { describe, expect } from 'vitest';
import type { BroadPhase } from '../../../src/core/contact/settings';
import type { PairList } from '../../../src/core/simulation/simulation';
import { defineWorld, type World } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { Pairs } from '../../../src/passes/query/pairs';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { comparePairs, sortPairs } from '../../../src/reference/query/pair-list';
import { findPairs } from '../../../src/reference/query/pairs';
import { createScene, sceneOptions, worldOptions } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { optionsOf } from '../../helpers/inputs/unusual-worlds';
import { crowds, runs } from '../../helpers/inputs/worlds';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
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
} from '../../helpers/passes';
import { fc } from '../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';
import { inTurns, THOROUGH } from '../../helpers/thorough';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];
const GUARD = 0xdead_beef;

/** Returns the tallies of all ids, and the pairs written to a list with room for `room` of them. */
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
  gpuTest(
    'tally each pair once, under its lower id, and write it there',
    async (_, tools) => {
      const cases = [
        ...inTurns(dimensions, EQUAL_RADIUS_SCENES).map((name) => [name, 200, undefined] as const),
        ...[...SMALL_COUNTS, MOST_FOLDED].map((count) => ['uniform', count, FOLD] as const),
      ];
      for (const [name, count, fold] of cases) {
        const { world, grid } = sceneGrid(name, dimensions, count);
        const expected = findPairs(world, world.diameter, grid);
        for (const broadPhase of BROAD_PHASES) {
          if (broadPhase === 'naive' && count > 300) continue;
          const { tallies, pairs } = await pairsOf(tools, world, grid, broadPhase, expected.count, fold);
          const wanted = new Uint32Array(grid.slots.length + 1);
          for (let pair = 0; pair < expected.count; pair++) {
            const first = expected.pairs[2 * pair] as number;
            wanted[first] = (wanted[first] as number) + 1;
          }
          expectArraysEqual(tallies, wanted, `tallies of ${name}`);
          const written = pairs.slice(0, -2);
          const grouped = written.filter((_word, index) => index % 2 === 0);
          expectArraysEqual(grouped, grouped.toSorted(), 'first ids');
          expectArraysEqual(sortPairs(written).pairs, expected.pairs, `pairs of ${name}`);
          expect([...pairs.slice(-2)]).toEqual([GUARD, GUARD]);
        }
      }
    },
    SHARED,
  );

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

async function found(
  tools: GpuTools,
  world: World,
  positions: Float32Array,
  broadPhase: BroadPhase,
  fold?: number,
): Promise<PairList> {
  const options = {
    ...optionsOf(world),
    cellSize: world.cellSize,
    radius: world.diameter / 2,
    positions,
    broadPhase,
  };
  const simulation = await createSimulation(tools.wrap(fold), options);
  const list = await simulation.findPairs();
  simulation.destroy();
  return list;
}

function expectExact(list: PairList, world: World, positions: Float32Array, label: string): void {
  const oracle = bruteForcePairs(world.dimensions, positions, world.diameter, undefined, world.period);
  expect(oracle.ambiguous.count).toBe(0);
  expectArraysEqual(list.pairs, oracle.overlapping.pairs, label);
  expect(list.count).toBe(oracle.overlapping.count);
}

describe.each(DIMENSIONS)('findPairs in %dD', (dimensions) => {
  gpuTest(
    'equals brute force on every scene, for both broad phases',
    async (_, tools) => {
      for (const name of inTurns(dimensions, EQUAL_RADIUS_SCENES, 1)) {
        const scene = createScene(name, { dimensions, count: 250 });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        for (const broadPhase of BROAD_PHASES) {
          const list = await found(tools, world, scene.positions, broadPhase);
          expectExact(list, world, scene.positions, `${name} by ${broadPhase}`);
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'equals brute force for counts around a workgroup, and finds nothing among 0 or 1 particles',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
        const scene = createScene('uniform', { dimensions, count });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        const list = await found(tools, world, scene.positions, 'grid');
        expectExact(list, world, scene.positions, `${count} particles`);
        expect(list.count > 0).toBe(count > 1);
      }
    },
    SHARED,
  );

  gpuTest(
    'equals brute force in worlds without dyadic numbers, except for pairs that just touch',
    async (_, tools) => {
      let pairs = 0;
      await fc.assert(
        fc.asyncProperty(crowds(dimensions, 120), async ({ world, positions }) => {
          const list = await found(tools, world, positions, 'grid');
          const oracle = bruteForcePairs(dimensions, positions, world.diameter);
          const { missing, extra, excused } = comparePairs(list, oracle);
          expect([missing.count, extra.count]).toEqual([0, 0]);
          expect(excused).toBeLessThanOrEqual(oracle.ambiguous.count);
          pairs += list.count;
        }),
        runs(THOROUGH ? 60 : 30),
      );
      expect(pairs).toBeGreaterThan(1000);
    },
    SHARED,
  );

  gpuTest(
    'ignores particles that only touch or are not finite',
    async (_, tools) => {
      const world = defineWorld(
        {
          dimensions,
          min: new Array<number>(dimensions).fill(0),
          max: new Array<number>(dimensions).fill(8),
        },
        1,
      );
      const pad = (...point: number[]) => [...point, 1, 1].slice(0, dimensions);
      const points = [
        pad(1, 1),
        pad(2, 1),
        pad(2 - 2 ** -20, 2),
        pad(1, 2),
        pad(5, 5),
        pad(5, 5),
        pad(5, 5.5),
      ];
      const positions = Float32Array.from(points.flat());
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        min: world.min,
        max: world.max,
        radius: 0.5,
        capacity: 20,
        positions,
      });
      const expected = [2, 3, 4, 5, 4, 6, 5, 6];
      expect([...(await simulation.findPairs()).pairs]).toEqual(expected);
      const checkpoint = await simulation.checkpoint();
      simulation.restore({
        ...checkpoint,
        ids: Uint32Array.of(...checkpoint.ids, 9, 10),
        positions: Float32Array.of(...positions, ...new Array(2 * dimensions).fill(Number.NaN)),
        velocities: new Float32Array(9 * dimensions),
      });
      for (const broadPhase of BROAD_PHASES) {
        simulation.set({ broadPhase });
        expect([...(await simulation.findPairs()).pairs]).toEqual(expected);
      }
      simulation.destroy();
    },
    SHARED,
  );
});

describe('findPairs, if kernels disagree on contacts', () => {
  gpuTest(
    'keeps within the tallied room and leaves out pairs that were not found again',
    async (device) => {
      const compile = device.createShaderModule;
      const scene = createScene('clustered', { dimensions: 2, count: 300 });
      const all = bruteForcePairs(2, scene.positions, 2 * scene.radius).overlapping;
      const firsts = all.pairs.filter((_id, word) => word % 2 === 0);
      // One fault drops the last pair of each lower id.
      const lastDropped = all.count - new Set(firsts).size;
      for (const [label, from, to, count] of [
        ['measure.measure', '(*gathered).contacts += 1u', '(*gathered).contacts += 0u', all.count],
        ['measure.measure', '(*gathered).contacts += 1u', '(*gathered).contacts += 2u', all.count],
        [
          'measure.pairs.grid.fill',
          '(*gathered).found < (*gathered).stretch.room',
          '(*gathered).found + 1u < (*gathered).stretch.room',
          lastDropped,
        ],
      ] as const) {
        device.createShaderModule = (descriptor) => {
          const isMeant = descriptor.label?.startsWith(label);
          const code = isMeant ? descriptor.code.replace(from, to) : descriptor.code;
          if (isMeant) expect(code).not.toBe(descriptor.code);
          return compile.call(device, { ...descriptor, code });
        };
        const simulation = await createSimulation(wrapDevice(device), sceneOptions(scene));
        const list = await simulation.findPairs();
        device.createShaderModule = compile;
        simulation.destroy();
        expect([list.count, list.pairs.length], `${to} in ${label}`).toEqual([count, 2 * count]);
        expect(list.pairs.every((id, word) => word % 2 === 0 || id > (list.pairs[word - 1] as number))).toBe(
          true,
        );
        if (count === all.count) expectArraysEqual(list.pairs, all.pairs, 'pairs');
      }
    },
    SHARED,
  );
});
