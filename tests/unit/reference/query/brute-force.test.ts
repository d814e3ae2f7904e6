import { describe, expect, it } from 'vitest';
import { bruteForcePairs, pairBand } from '../../../../src/reference/query/brute-force';
import { distanceSquared } from '../../../../src/reference/solve/contact';
import { PLAIN_WORLDS } from '../../../helpers/inputs/worlds';
import { fc, runs } from '../../../helpers/properties';

describe('brute force', () => {
  it('finds pairs closer than the diameter; touching is not overlapping', () => {
    const positions = new Float32Array([0, 0, 1, 0, 0.5, 0.75, 0.5, -0.9]);
    const { overlapping, ambiguous } = bruteForcePairs(2, positions, 1);
    expect([...overlapping.pairs]).toEqual([0, 2, 1, 2]);
    expect(ambiguous.count).toBe(0);
  });

  it('uses the given ids', () => {
    const { overlapping } = bruteForcePairs(2, new Float32Array([0, 0, 0, 0]), 1, new Uint32Array([9, 4]));
    expect([...overlapping.pairs]).toEqual([4, 9]);
  });

  it('reports a pair as ambiguous only if rounding could decide', () => {
    // The squares of the 32-bit floats nearest to 0.6 and 0.8 add up to 1 + 0.8 · 2⁻²⁴.
    const touching = new Float32Array([0, 0, 0.6, 0.8]);
    expect(bruteForcePairs(2, touching, 1).ambiguous.count).toBe(1);
    expect(bruteForcePairs(2, new Float32Array([0, 0, 0.6, 0.79]), 1).ambiguous.count).toBe(0);
    // 32-bit floats hold these numbers, and the pair touches exactly.
    const exact = bruteForcePairs(2, new Float32Array([0, 0, 0.75, 1]), 1.25);
    expect([exact.overlapping.count, exact.ambiguous.count]).toEqual([0, 0]);
  });

  it('reports a pair as ambiguous if some order of summation, fused or not, could decide otherwise', () => {
    const u = 2 ** -24;
    fc.assert(
      fc.property(
        fc.constantFrom<2 | 3>(2, 3),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: -6, max: 6 }),
        (dimensions, size, direction, offset, nudge) => {
          const diameter = Math.fround(size);
          const length = Math.hypot(...direction.slice(0, dimensions));
          if (length < 0.01) return;
          const a = offset.slice(0, dimensions).map((along) => Math.fround(along * size));
          const b = a.map((along, axis) =>
            Math.fround(along + ((direction[axis] as number) / length) * diameter * (1 + nudge * u)),
          );
          const apart = a.map((along, axis) => along - (b[axis] as number));
          const exact = apart.reduce((sum, along) => sum + along * along, 0);
          const rounded = apart.map(Math.fround);
          const plain = distanceSquared(PLAIN_WORLDS[dimensions], new Float32Array([...a, ...b]), 0, 1);
          // Fuses each square except the first into the sum.
          const fused = (values: number[]) =>
            values.reduce((sum, along) => Math.fround(sum + along * along), 0);
          const limit = Math.fround(diameter * diameter);
          for (const computed of [plain, fused(rounded), fused(rounded.toReversed())]) {
            if (computed < limit !== exact < diameter * diameter) {
              expect(Math.abs(exact - diameter * diameter)).toBeLessThanOrEqual(
                pairBand(dimensions, diameter),
              );
            }
          }
        },
      ),
      runs(5000),
    );
  });
});
