/** Tests counts and ranks. The ranks in a bucket may come in any order, but each must come exactly once. */
import { describe, expect } from 'vitest';
import { RETIRED_BIT } from '../../../src/core/base/constants';
import { startLength } from '../../../src/core/world/cells';
import { defineWorld, type World } from '../../../src/core/world/world';
import { Count } from '../../../src/passes/grid/count';
import { countParticles } from '../../../src/reference/grid/count';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  uploadVectors,
} from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

async function expectCounted(
  tools: GpuTools,
  world: World,
  positions: Float32Array,
  { ids, fold }: { ids?: Uint32Array; fold?: number } = {},
): Promise<void> {
  const { dimensions } = world;
  const count = positions.length / dimensions;
  const gpu = tools.wrap(fold);
  const pass = await Count.create(gpu, world, ids !== undefined);
  const counts = tools.allocate('counts', 4 * startLength(world));
  const ranks = tools.allocate('ranks', 4 * count);
  const group = pass.bind({
    position_in: uploadVectors(tools, dimensions, 'position', positions),
    counts,
    ranks,
    ...(ids ? { id_in: tools.upload('id', ids) } : {}),
  });
  const shared = await share(gpu, world, count);
  runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
  const expected = countParticles(world, positions, count, ids);
  expectArraysEqual(await readWords(tools, counts, startLength(world)), expected.counts, 'counts');
  const start = exclusiveScan(expected.counts);
  const got = await readWords(tools, ranks, count);
  const slots = got.map((rank, particle) => rank + (start[expected.cells[particle] as number] as number));
  expectArraysEqual(
    slots.sort(),
    slots.map((_, slot) => slot),
    'slots',
  );
}

describe.each(DIMENSIONS)('the count in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `equals the reference on the scene ${name}`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions, count: 700 });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        await expectCounted(tools, world, scene.positions);
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'equals the reference for numbers of particles near the size of a workgroup, and in folded dispatches',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED, 65_537]) {
        const scene = createScene('uniform', { dimensions, count });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        await expectCounted(tools, world, scene.positions);
        if (count <= MOST_FOLDED) await expectCounted(tools, world, scene.positions, { fold: FOLD });
      }
    },
    SHARED,
  );

  gpuTest(
    'clamps positions outside the world, quarantines particles that are not finite, and gives removed ones their own bucket',
    async (_, tools) => {
      const min = [-3.3, 0.7, -1.1].slice(0, dimensions);
      const max = [5.9, 9.1, 4.4].slice(0, dimensions);
      const world = defineWorld({ dimensions, min, max }, 0.37);
      const positions = scatterIn(createNoise(5), min, max, 1000, 0.5);
      const odd = [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        3.4e38,
        -3.4e38,
        1e-42,
        -0,
      ];
      const ids = Uint32Array.from({ length: 1000 }, (_value, index) => index);
      for (let particle = 0; particle < 210; particle++) {
        positions[particle * dimensions + (particle % dimensions)] = odd[particle % 7] as number;
        if (particle % 2 === 0) ids[particle] = (ids[particle] as number) | RETIRED_BIT;
      }
      const { counts } = countParticles(world, positions, 1000, ids);
      expect([...counts.subarray(world.cellCount)]).toEqual([45, 45, 0]);
      await expectCounted(tools, world, positions, { ids });
      await expectCounted(tools, world, positions);
    },
    SHARED,
  );
});
