import { describe, expect, it } from 'vitest';
import { overlapsInPlane, overlapsInSpace } from '../../../../src/cpu/shared/overlap';
import { exactOverlap } from '../../../helpers/exact-pairs';
import { fc, runs } from '../../../helpers/properties';

describe('exact overlap', () => {
  it('agrees with exact arithmetic for points about one diameter apart', () => {
    const single = fc.float({ min: -4, max: 4, noNaN: true });
    // Points one diameter apart are as near to a tie as rounding allows.
    fc.assert(
      fc.property(
        single,
        single,
        single,
        fc.double({ min: 0, max: 7, noNaN: true }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        single,
        (x, y, z, angle, tilt, size) => {
          const diameter = Math.fround(Math.abs(size) + 0.1);
          const flat = [x + diameter * Math.cos(angle), y + diameter * Math.sin(angle)].map(Math.fround);
          const [flatX, flatY] = flat as [number, number];
          expect(overlapsInPlane(x, y, flatX, flatY, diameter)).toBe(exactOverlap([x, y], flat, diameter));
          const solid = [
            x + diameter * Math.cos(angle) * Math.sin(tilt),
            y + diameter * Math.sin(angle) * Math.sin(tilt),
            z + diameter * Math.cos(tilt),
          ].map(Math.fround);
          const [solidX, solidY, solidZ] = solid as [number, number, number];
          expect(overlapsInSpace(x, y, z, solidX, solidY, solidZ, diameter)).toBe(
            exactOverlap([x, y, z], solid, diameter),
          );
        },
      ),
      runs(2000),
    );
  });

  it('is right for ties, and for differences that are too small for doubles', () => {
    expect(overlapsInPlane(0, 0, 1, 0, 1)).toBe(false);
    expect(overlapsInPlane(0, 0, 3, 4, 5)).toBe(false);
    expect(overlapsInPlane(2 ** -60, 0, 1, 0, 1)).toBe(true);
    expect(overlapsInPlane(-(2 ** -60), 0, 1, 0, 1)).toBe(false);
    expect(overlapsInPlane(1, 2 ** -70, 0, 0, 1)).toBe(false);
    expect(overlapsInPlane(0, 0, 0.5, 0, 0.5 + 2 ** -50)).toBe(true);
    expect(overlapsInSpace(1, 2 ** -70, 2 ** -70, 0, 0, 0, 1)).toBe(false);
    expect(overlapsInSpace(1, 0, 2 ** -70, 2 ** -60, 0, 0, 1)).toBe(true);
    expect(overlapsInSpace(0, 0, 0, 2, 3, 6, 7)).toBe(false);
  });
});
