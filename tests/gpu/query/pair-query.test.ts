import { describe, expect } from 'vitest';
import type { BroadPhase } from '../../../src/core/contact/settings';
import type { PairList } from '../../../src/core/simulation/simulation';
import { defineWorld, type World } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { comparePairs } from '../../../src/reference/query/pair-list';
import { createScene, sceneOptions, worldOptions } from '../../../src/scenes';
import { optionsOf } from '../../helpers/inputs/unusual-worlds';
import { crowds } from '../../helpers/inputs/worlds';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, MOST_FOLDED, SMALL_COUNTS } from '../../helpers/passes';
import { expectSeen, fc, runs } from '../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

const BROAD_PHASES: readonly BroadPhase[] = ['grid', 'naive'];

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
  for (const name of EQUAL_RADIUS_SCENES) {
    for (const broadPhase of BROAD_PHASES) {
      gpuTest(
        `equals brute force on the scene ${name} with the broad phase ${broadPhase}`,
        async (_, tools) => {
          const scene = createScene(name, { dimensions, count: 250 });
          const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
          const list = await found(tools, world, scene.positions, broadPhase);
          expectExact(list, world, scene.positions, 'pairs');
        },
        SHARED_CASE,
      );
    }
  }

  gpuTest(
    'equals brute force for counts around the size of a workgroup, and finds nothing among 0 or 1 particles',
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
    'equals brute force in worlds without dyadic numbers, except for borderline pairs',
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
        runs(60),
      );
      expectSeen(pairs, 2000);
    },
    SHARED,
  );

  gpuTest(
    'ignores particles that only touch, and particles that are not finite',
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
    'lists all pairs if the measured contacts are wrong, and leaves out pairs that the fill kernel does not find',
    async (device) => {
      const compile = device.createShaderModule;
      const scene = createScene('clustered', { dimensions: 2, count: 300 });
      const all = bruteForcePairs(2, scene.positions, 2 * scene.radius).overlapping;
      const firsts = all.pairs.filter((_id, word) => word % 2 === 0);
      // Among pairs with the same first id, the third fault drops the last one.
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
