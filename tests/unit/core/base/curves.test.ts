import { describe, expect, it } from 'vitest';
import { type Curve, growthOf } from '../../../../src/core/base/curves';
import { SIZES } from '../../../../src/page/panel/sweep';
import { fc } from '../../../helpers/properties';

function curve(factor: number, exponent: number, most = 1e6): Curve {
  return SIZES.filter((count) => count <= most).map((count) => ({
    count,
    milliseconds: factor * count ** exponent,
  }));
}

const factors = fc.double({ min: 1e-6, max: 10, noNaN: true });

const exponents = fc.double({ min: 0.2, max: 3, noNaN: true });

describe('the growth of a curve', () => {
  it('is the exponent of a power law, in any unit of time', () => {
    fc.assert(
      fc.property(factors, exponents, (factor, exponent) => {
        expect(growthOf(curve(factor, exponent))).toBeCloseTo(exponent, 9);
      }),
    );
  });

  it('is measured over the last decade, so a fixed cost does not hide it', () => {
    const hidden = curve(1e-6, 2, 100_000).map(({ count, milliseconds }) => ({
      count,
      milliseconds: milliseconds + 1,
    }));
    expect(growthOf(hidden)).toBeCloseTo(2, 1);
    const [, ...rest] = hidden;
    expect(growthOf([{ count: 100, milliseconds: 500 }, ...rest])).toBe(growthOf(hidden));
  });

  it('is undefined with too few sizes', () => {
    expect(growthOf([])).toBeUndefined();
    expect(growthOf(curve(1, 1, 10))).toBeUndefined();
  });
});
