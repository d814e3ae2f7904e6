import { expect, it } from 'vitest';
import { massShare } from '../../../../src/core/contact/law';

it.each([2, 3] as const)(
  'massShare divides a push of two particles by the mass of the other, in %dD',
  (dimensions) => {
    expect(massShare(dimensions, 3, 3)).toBe(0.5);
    // Mass ratios of 8 or 4 to 1.
    expect(massShare(dimensions, 2, 1)).toBeCloseTo(1 / (1 + 2 ** dimensions), 7);
    for (const [own, other] of [
      [1, 64],
      [0.3, 0.2],
      [2 ** -40, 2 ** 59],
      [1e-20, 1e-21],
    ] as const) {
      const [share, rest] = [massShare(dimensions, own, other), massShare(dimensions, other, own)];
      // For one mass ratio: the sum of masses is rounded, then each quotient.
      expect(Math.abs(share + rest - 1)).toBeLessThanOrEqual(3 * 2 ** -24);
      expect(share).toBe(Math.fround(share));
      expect(share > rest).toBe(own < other);
    }
  },
);
