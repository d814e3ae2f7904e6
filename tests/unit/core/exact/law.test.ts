import { describe, expect, it } from 'vitest';
import { ONE } from '../../../../src/core/exact/integers';
import { obstacleChange } from '../../../../src/core/exact/law';
import type { ExactSubstep } from '../../../../src/core/exact/substep';
import { exactNormal, meetExactly } from '../../../../src/cpu/solver/exact/contact';
import { DIMENSIONS } from '../../../helpers/passes';
import { fc } from '../../../helpers/properties';

describe('the contact law of exact simulations', () => {
  it('lets several obstacles change a velocity by greatest / fraction, but not by more than most', () => {
    const change = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(change, fc.integer({ min: 0, max: ONE }), change, (greatest, fraction, most) => {
        const found = obstacleChange(greatest, fraction, most);
        const expected = Math.min(most, (greatest * ONE) / fraction);
        expect(found).toBeLessThanOrEqual(most);
        // A share is rounded to a whole number, and a ratio to a multiple of 1 / ONE.
        const atLeast = Math.min(most, ((greatest - 1) * ONE) / (fraction + 0.5));
        expect(found).toBeGreaterThanOrEqual(Math.floor(atLeast - most / 2 ** 12 - 1));
        expect(found).toBeLessThanOrEqual(Math.ceil(expected + most / 2 ** 12 + ONE / (fraction + 0.5)));
      }),
    );
    expect(obstacleChange(7, ONE, 9)).toBe(7);
    expect(obstacleChange(7, ONE / 2, 9)).toBe(9);
    expect(obstacleChange(7, 0, 9)).toBe(9);
  });

  it.each(DIMENSIONS)(
    'has normals in %dD that are neither too long nor too short on average',
    (dimensions) => {
      const substep = { quanta: { diameter: 2 ** 14, period: [0, 0, 0] } } as unknown as ExactSubstep;
      const origin = new Int32Array(dimensions);
      let sum = 0;
      let count = 0;
      for (let x = 1500; x < 1600; x++) {
        for (let y = -50; y < 50; y++) {
          const at = Int32Array.of(x, 20 * y, 700).subarray(0, dimensions);
          meetExactly(substep, dimensions, at, 0, origin, 0, false, 0);
          sum += exactNormal.reduce((squared, along) => squared + (along / ONE) ** 2, -1);
          count++;
        }
      }
      // If lengths were rounded down, the mean would be 0.0005.
      expect(Math.abs(sum / count)).toBeLessThan(0.00005);
    },
  );
});
