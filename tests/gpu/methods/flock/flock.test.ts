/** Tests that steps are close to the CPU engine's, which computes in doubles, and give the same bits in every run. */
import { describe, expect } from 'vitest';
import type { Dimensions } from '../../../../src/core/world/world';
import { createCpuFlock, createFlock, type FlockState } from '../../../../src/methods/flock';
import {
  expectComingAndGoing,
  expectSameFromCheckpoint,
  flockOptions,
  type Space,
} from '../../../helpers/inputs/flocks';
import { expectArraysWithin, gpuTest, SHARED } from '../../../helpers/node-gpu';
import { bitsOf, DIMENSIONS } from '../../../helpers/passes';

const DT = 1 / 64;

/**
 * Tolerance of velocities and moves, which are sums over some tens of neighbours. Each term is off by a few units in
 * the last of 24 bits, so well over 18 bits of a sum are right.
 */
const PART = 2 ** -18;

const SPACES: readonly (readonly [name: string, space: Space])[] = [
  ['a box with walls across y', [true, false, true]],
  ['space without end', 'unbounded'],
];

/** `npm test` tests only this space, because each space compiles all kernels; `npm run test:all` tests both. */
const USUAL_SPACES: Readonly<Record<Dimensions, string>> = {
  2: 'space without end',
  3: 'a box with walls across y',
};

describe.each(DIMENSIONS)('a flock in %dD', (dimensions) => {
  for (const [name, space] of SPACES) {
    gpuTest(
      `moves as on the CPU, and gives the same bits in two runs, in ${name}`,
      async (_, tools) => {
        const options = { ...flockOptions(dimensions, space, 500), capacity: 510 };
        const first = await createFlock(tools.wrap(), options);
        const again = await createFlock(tools.wrap(), options);
        const cpu = createCpuFlock(options);
        for (const flock of [first, again, cpu]) await expectComingAndGoing(flock);
        cpu.step(DT);
        const expected = cpu.read();
        first.step(DT);
        const got = await first.read();
        // Velocities are at most 4 perceptions per second, plus the change of one step.
        expectArraysWithin(got.velocities, expected.velocities, 5 * PART, 'velocities');
        expectArraysWithin(got.positions, expected.positions, 12 * PART, 'positions');
        expectArraysWithin(got.hunters, expected.hunters, 12 * PART, 'hunters');
        for (let step = 0; step < 4; step++) first.step(DT);
        for (let step = 0; step < 5; step++) again.step(DT);
        const [one, other] = await Promise.all([first.read(), again.read()]);
        for (const part of ['positions', 'velocities', 'hunters'] as const) {
          expect(bitsOf(one[part])).toEqual(bitsOf(other[part]));
          expect(one[part]).not.toEqual(got[part]);
        }
        // Restoring must bring back obstacles and state.
        again.setObstacles(new Float32Array());
        again.step(DT);
        await expectSameFromCheckpoint(first, again);
        cpu.restore(await first.checkpoint());
        expect(cpu.read()).toEqual(await first.read());
        first.destroy();
        again.destroy();
        expect(() => first.step(DT)).toThrow(/destroyed/);
      },
      name === USUAL_SPACES[dimensions] ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'aligns, and stays out of obstacles and away from hunters',
    async (device, tools) => {
      const options = flockOptions(dimensions, true, 300);
      const calmed = { obstacles: undefined, hunters: undefined, slowest: 2, alignment: 10 };
      const flock = await createFlock(tools.wrap(), { ...options, ...calmed });
      const before = agreement(dimensions, await flock.read());
      const encoder = device.createCommandEncoder();
      for (let step = 0; step < 60; step++) flock.encode(encoder, 1 / 30);
      device.queue.submit([encoder.finish()]);
      const calm = await flock.read();
      expect(Math.abs(before)).toBeLessThan(0.2);
      expect(agreement(dimensions, calm)).toBeGreaterThan(0.8);
      flock.destroy();

      const hunted = await createFlock(tools.wrap(), { ...options, hunterSpeed: 0 });
      for (let step = 0; step < 30; step++) hunted.step(1 / 30);
      const { positions, hunters } = await hunted.read();
      const least = (centre: ArrayLike<number>) => {
        let nearest = Number.POSITIVE_INFINITY;
        for (let first = 0; first < positions.length; first += dimensions) {
          const difference = Array.from(
            { length: dimensions },
            (_, axis) => (positions[first + axis] as number) - (centre[axis] as number),
          );
          nearest = Math.min(nearest, Math.hypot(...difference));
        }
        return nearest;
      };
      const obstacles = options.obstacles as Float32Array;
      expect(least(obstacles)).toBeGreaterThan(0.75 - 1e-5);
      expect(least(obstacles.subarray(dimensions + 1))).toBeGreaterThan(0.3 - 1e-5);
      expect(hunters).toEqual(options.hunters);
      expect(least(hunters)).toBeGreaterThan(0.4);
      hunted.set({ slowest: 0, fastest: 0, hunterSpeed: 3 });
      hunted.step(1 / 30);
      const still = await hunted.read();
      expect(still.velocities.every((speed) => speed === 0)).toBe(true);
      expect(still.hunters).not.toEqual(hunters);
      hunted.set({ hunterSpeed: 0 });
      hunted.placeHunters(hunters);
      hunted.step(1 / 30);
      expect((await hunted.read()).hunters).toEqual(hunters);
      expect(() => hunted.placeHunters(hunters.subarray(1))).toThrow(/^positions\.length is /);
      hunted.destroy();
    },
    SHARED,
  );
});

/** Returns 1 if boids less than 1 apart fly the same way, and about 0 if their directions are random. */
function agreement(dimensions: Dimensions, { ids, positions, velocities }: FlockState): number {
  const at = (packed: Float32Array, id: number) =>
    Array.from(packed.subarray(dimensions * id, dimensions * (id + 1)));
  let [sum, pairs] = [0, 0];
  for (const id of ids) {
    const [position, speed] = [at(positions, id), at(velocities, id)];
    for (let other = 0; other < id; other++) {
      const [there, speedThere] = [at(positions, other), at(velocities, other)];
      if (Math.hypot(...position.map((value, axis) => value - (there[axis] as number))) >= 1) continue;
      const dot = speed.reduce((product, value, axis) => product + value * (speedThere[axis] as number), 0);
      sum += dot / Math.max(Math.hypot(...speed) * Math.hypot(...speedThere), 1e-9);
      pairs++;
    }
  }
  return sum / pairs;
}

gpuTest(
  'an empty flock can step',
  async (_, tools) => {
    const options = flockOptions(2, true, 4);
    const flock = await createFlock(tools.wrap(), {
      ...options,
      positions: new Float32Array(),
      velocities: undefined,
    });
    flock.step(DT);
    expect((await flock.read()).positions).toEqual(new Float32Array());
    expect((await flock.read()).hunters).toHaveLength(4);
    flock.destroy();
  },
  SHARED,
);
