import { expect, test } from 'vitest';
import { MOST_LOWERING, MOST_SLOWING } from '../../../../../src/methods/fluid/constants';
import { settlement } from '../../../../../src/methods/fluid/reference/energy';

test('settlement computes how far to slow and lower particles to remove gained energy', () => {
  const sums = { growth: 0, kinetic: 10, along: 2, squared: 1, potential: 200 };
  const nothing = { share: 0, scale: 1, lowering: 0 };
  expect(settlement({ ...sums, gain: -1 }, 0.5)).toEqual(nothing);
  const { share, ...rest } = settlement({ ...sums, gain: 1 }, 0.5);
  expect(share * 2 - share ** 2 / 2).toBeCloseTo(1, 12);
  expect(rest).toEqual({ scale: 1, lowering: 0 });
  // Dropping velocities that the lattice does not store removes at most 1.5 of energy. Slowing then removes at most
  // half of the remaining 8.5, and lowering at most 0.2.
  const slowed = (taken: number) => ({ share: 1, scale: Math.sqrt(1 - taken / 8.5) });
  expect(settlement({ ...sums, gain: 2.5 }, 0.5)).toEqual({ ...slowed(1), lowering: 0 });
  expect(settlement({ ...sums, gain: 5.85 }, 0.5)).toEqual({
    ...slowed(4.25),
    lowering: expect.closeTo(0.0005, 12),
  });
  expect(settlement({ ...sums, gain: 99 }, 0.5)).toEqual({ ...slowed(4.25), lowering: MOST_LOWERING });
  // If these three do not suffice, slowing removes more, up to the share MOST_SLOWING of the remaining 8.5.
  expect(settlement({ ...sums, gain: 1.8 }, 0.01)).toEqual({
    ...slowed(0.1),
    lowering: expect.closeTo(MOST_LOWERING, 12),
  });
  expect(settlement({ ...sums, gain: 99 }, 0.01)).toEqual({
    ...slowed(8.5 * MOST_SLOWING),
    lowering: MOST_LOWERING,
  });
  // If kinetic energy grew by more than that share, slowing removes at most the growth, minus what was already removed.
  const grown = (growth: number) => settlement({ ...sums, gain: 99, growth }, 0.01);
  expect(grown(4)).toEqual({ ...slowed(2.5), lowering: MOST_LOWERING });
  expect(grown(99)).toEqual({ ...slowed(8.5), lowering: MOST_LOWERING });
  expect(settlement({ ...sums, gain: 2.7, growth: 99 }, 0.01).scale).toBeCloseTo(slowed(1).scale, 12);
  // Without gravity, all the energy is removed from velocities. Without motion, nothing can be removed.
  expect(settlement({ ...sums, potential: 0, gain: 8.75 }, 0.5)).toEqual({ ...slowed(7.25), lowering: 0 });
  const empty = { gain: 1, growth: 0, kinetic: 0, along: 0, squared: 0, potential: 0 };
  expect(settlement(empty, 1)).toEqual(nothing);
});
