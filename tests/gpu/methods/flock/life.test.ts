import { describe, expect } from 'vitest';
import type { Dimensions } from '../../../../src/core/world/world';
import { createCpuLife, createLife } from '../../../../src/methods/flock';
import {
  expectComingAndGoing,
  expectSameFromCheckpoint,
  lifeOptions,
  type Space,
} from '../../../helpers/inputs/flocks';
import { expectArraysWithin, gpuTest, SHARED } from '../../../helpers/node-gpu';
import { bitsOf, DIMENSIONS } from '../../../helpers/passes';

const DT = 1 / 64;

/** Tolerance of velocities and moves, derived in flock.test.ts. */
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

describe.each(DIMENSIONS)('particle life in %dD', (dimensions) => {
  for (const [name, space] of SPACES) {
    gpuTest(
      `moves as on the CPU, and gives the same bits in two runs, in ${name}`,
      async (_, tools) => {
        const options = { ...lifeOptions(dimensions, space, 600), capacity: 610 };
        const first = await createLife(tools.wrap(), options);
        const again = await createLife(tools.wrap(), options);
        const cpu = createCpuLife(options);
        for (const life of [first, again, cpu])
          await expectComingAndGoing(life, { species: Uint8Array.of(1) });
        cpu.step(DT);
        const expected = cpu.read();
        first.step(DT);
        const got = await first.read();
        expectArraysWithin(got.velocities, expected.velocities, 5 * PART, 'velocities');
        expectArraysWithin(got.positions, expected.positions, 12 * PART, 'positions');
        for (let step = 0; step < 4; step++) first.step(DT);
        for (let step = 0; step < 5; step++) again.step(DT);
        const [one, other] = await Promise.all([first.read(), again.read()]);
        expect(bitsOf(one.positions)).toEqual(bitsOf(other.positions));
        expect(bitsOf(one.velocities)).toEqual(bitsOf(other.velocities));
        again.set({ attraction: options.attraction.map((row) => row.map((wish) => -wish)) });
        first.step(DT);
        again.step(DT);
        expect((await again.read()).velocities).not.toEqual((await first.read()).velocities);
        await expectSameFromCheckpoint(first, again);
        first.destroy();
        again.destroy();
        expect(() => again.set({ strength: 1 })).toThrow(/destroyed/);
      },
      name === USUAL_SPACES[dimensions] ? SHARED : { ...SHARED, tags: 'full' },
    );
  }
});
