import { describe, expect } from 'vitest';
import { RETIRED_BIT } from '../../../src/core/base/constants';
import type { Substep } from '../../../src/core/contact/settings';
import { startLength } from '../../../src/core/world/cells';
import { defineWorld, GREATEST_SPEED, type World } from '../../../src/core/world/world';
import { Integrate } from '../../../src/passes/solve/integrate';
import { countParticles } from '../../../src/reference/grid/count';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { integrate } from '../../../src/reference/solve/integrate';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import {
  bitsOf,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  substepOf,
  uploadVectors,
} from '../../helpers/passes';

interface State {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids?: Uint32Array;
}

/** Runs the pass. Expects that it counted each particle into the cell of its new position. */
async function move(
  tools: GpuTools,
  world: World,
  substep: Substep,
  state: State,
  fold?: number,
): Promise<State> {
  const { dimensions } = world;
  const count = state.positions.length / dimensions;
  const ids = state.ids ?? Uint32Array.from({ length: count }, (_, slot) => slot);
  const gpu = tools.wrap(fold);
  const pass = await Integrate.create(gpu, world);
  const buffers = {
    position: uploadVectors(tools, dimensions, 'position', state.positions),
    velocity: uploadVectors(tools, dimensions, 'velocity', state.velocities),
    counts: tools.allocate('counts', 4 * startLength(world)),
    ranks: tools.allocate('ranks', 4 * count),
    id_in: tools.upload('id', ids),
  };
  const group = pass.bind(buffers);
  const shared = await share(gpu, world, count, substep);
  runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
  const positions = await readVectors(tools, dimensions, buffers.position, count);
  const velocities = await readVectors(tools, dimensions, buffers.velocity, count);
  const counted = countParticles(world, positions, count, ids);
  expectArraysEqual(await readWords(tools, buffers.counts, startLength(world)), counted.counts, 'counts');
  const start = exclusiveScan(counted.counts);
  const ranks = await readWords(tools, buffers.ranks, count);
  const targets = ranks.map((rank, slot) => rank + (start[counted.cells[slot] as number] as number));
  const all = targets.map((_, index) => index);
  expectArraysEqual(targets.sort(), all, 'targets');
  return { positions, velocities };
}

/** The largest relative error of rounding to 32 bits. */
const U = 2 ** -24;
/** Covers products of errors, which the bounds leave out. */
const SLACK = 1 + 2 ** -10;

describe.each(DIMENSIONS)('integration in %dD', (dimensions) => {
  const gravity = [3, -8, 1].slice(0, dimensions);

  gpuTest(
    'equals the reference bit by bit if nothing needs rounding, in folded dispatches or not',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED, 65_537]) {
        const scene = createScene('gas', { dimensions, count });
        const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
        const substep = substepOf(world, { gravity, substeps: 1 }, 1 / 64);
        const expected = integrate(world, substep, scene);
        for (const fold of count <= MOST_FOLDED ? [undefined, FOLD] : [undefined]) {
          const got = await move(tools, world, substep, scene, fold);
          expectArraysEqual(bitsOf(got.positions), bitsOf(expected.positions), 'positions');
          expectArraysEqual(bitsOf(got.velocities), bitsOf(expected.velocities), 'velocities');
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'differs from exact arithmetic by at most two roundings of velocities and four of positions, even if products are fused',
    async (_, tools) => {
      const min = [-3.1, 2.7, -40.3].slice(0, dimensions);
      const max = [17.9, 33.3, -20.9].slice(0, dimensions);
      const world = defineWorld({ dimensions, min, max }, 0.73);
      const substep = substepOf(world, { gravity: gravity.map((g) => g * 1.1), substeps: 3 }, 1 / 60);
      const noise = createNoise(dimensions);
      const count = 2000;
      const positions = scatterIn(noise, min, max, count, 0.2);
      const velocities = scatterIn(noise, min, max, count, 3);
      const got = await move(tools, world, substep, { positions, velocities });
      let moved = 0;
      for (let index = 0; index < count * dimensions; index++) {
        const axis = index % dimensions;
        const gain = (substep.gravity[axis] as number) * substep.dt;
        const velocity = (velocities[index] as number) + gain;
        const velocityBound = U * (Math.abs(gain) + Math.abs(velocity)) * SLACK;
        const step = velocity * substep.dt;
        const position = (positions[index] as number) + step;
        const positionBound =
          (substep.dt * velocityBound + U * (Math.abs(step) + Math.abs(position))) * SLACK;
        expect(Math.abs((got.velocities[index] as number) - velocity)).toBeLessThanOrEqual(velocityBound);
        expect(Math.abs((got.positions[index] as number) - position)).toBeLessThanOrEqual(positionBound);
        if (Math.abs(step) > 100 * positionBound) moved++;
      }
      expect(moved).toBeGreaterThan(count);
    },
    SHARED,
  );

  gpuTest(
    'does not change particles that are not finite, and counts them as quarantined',
    async (_, tools) => {
      const world = defineWorld({ dimensions, min: gravity.map(() => 0), max: gravity.map(() => 9) }, 1);
      const substep = substepOf(world, { gravity }, 1 / 60);
      const noise = createNoise(3);
      const positions = scatterIn(noise, world.min, world.max, 30);
      const velocities = scatterIn(noise, world.min, world.max, 30);
      const ids = Uint32Array.from({ length: 30 }, (_value, slot) =>
        slot % 6 === 0 ? slot | RETIRED_BIT : slot,
      );
      for (let slot = 0; slot < 30; slot += 3) {
        positions[slot * dimensions + 1] = slot % 2 === 0 ? Number.NaN : Number.NEGATIVE_INFINITY;
      }
      const got = await move(tools, world, substep, { positions, velocities, ids });
      for (let slot = 0; slot < 30; slot++) {
        const vectorOf = (array: Float32Array) =>
          bitsOf(array.slice(slot * dimensions, (slot + 1) * dimensions));
        const same = String(vectorOf(got.velocities)) === String(vectorOf(velocities));
        expect(same).toBe(slot % 3 === 0);
        expect(String(vectorOf(got.positions)) === String(vectorOf(positions))).toBe(slot % 3 === 0);
      }
    },
    SHARED,
  );

  gpuTest(
    'quarantines particles in the same step if they overflow, are too fast or have a velocity that is not finite',
    async (_, tools) => {
      const world = defineWorld({ dimensions, min: gravity.map(() => 0), max: gravity.map(() => 9) }, 1);
      const substep = substepOf(world, { gravity, substeps: 1 }, 4);
      const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
      const justBelow = GREATEST_SPEED * (1 - 2 ** -24);
      const speeds = [3e38, infinity, nan, GREATEST_SPEED, -GREATEST_SPEED, justBelow, -justBelow, 1];
      const positions = new Float32Array(8 * dimensions).fill(4);
      positions[7 * dimensions] = 3.4028234e38;
      const velocities = new Float32Array(8 * dimensions);
      speeds.forEach((speed, slot) => {
        velocities[slot * dimensions] = speed;
      });
      const got = await move(tools, world, substep, { positions, velocities });
      const finite = speeds.map((_speed, slot) => Number.isFinite(got.positions[slot * dimensions]));
      expect(finite).toEqual([false, false, false, false, false, true, true, true]);
      const twin = integrate(world, substep, { positions, velocities });
      expect(Array.from(got.positions, Number.isNaN)).toEqual(Array.from(twin.positions, Number.isNaN));
      expect(Array.from(got.positions.subarray(0, 5 * dimensions)).every(Number.isNaN)).toBe(true);
    },
    SHARED,
  );
});
