import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { type SweptBodies, sweptBox } from '../../../../src/core/particles/swept';
import { findOverlaps } from '../../../../src/cpu';
import { DIMENSIONS } from '../../../helpers/passes';
import { fc, runs } from '../../../helpers/properties';

const float = fc.float({ min: -1000, max: 1000, noNaN: true });
const size = fc.float({ min: 0, max: 1000, noNaN: true });

/** The exact value of a 32-bit float, in units of 2^-149. */
function exact(value: number): bigint {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] as number;
  const exponent = (bits >>> 23) & 0xff;
  const mantissa = BigInt((bits & 0x7f_ffff) | (exponent > 0 ? 0x80_0000 : 0));
  const magnitude = mantissa << BigInt(Math.max(0, exponent - 1));
  return bits >>> 31 ? -magnitude : magnitude;
}

function next(value: number, direction: 1 | -1): number {
  const number = Float32Array.of(value);
  const bits = new Int32Array(number.buffer);
  if (value === 0) bits[0] = direction > 0 ? 1 : 0x8000_0001 | 0;
  else bits[0] = (bits[0] as number) + (value > 0 === direction > 0 ? 1 : -1);
  return number[0] as number;
}

describe.each(DIMENSIONS)('the box that a body covers while it moves, in %dD', (dimensions) => {
  it('is the least box of 32-bit floats that contains the body at the start and at the end', () => {
    const corner = fc.array(float, { minLength: dimensions, maxLength: dimensions });
    const halves = fc.array(size, { minLength: dimensions, maxLength: dimensions });
    fc.assert(
      fc.property(corner, corner, halves, fc.boolean(), (start, end, half, isBall) => {
        const from = Float32Array.from(start);
        const to = Float32Array.from(end);
        const sizes = isBall
          ? { radii: Float32Array.of(half[0] as number) }
          : { halfExtents: Float32Array.from(half) };
        const box = sweptBox({ dimensions, from, to, ...sizes });
        for (let axis = 0; axis < dimensions; axis++) {
          const own = exact((isBall ? half[0] : half[axis]) as number);
          const ends = [exact(from[axis] as number), exact(to[axis] as number)].sort((a, b) =>
            a < b ? -1 : 1,
          );
          const [low, high] = [box[axis] as number, box[dimensions + axis] as number];
          const least = (ends[0] as bigint) - own;
          const most = (ends[1] as bigint) + own;
          expect(exact(low) <= least && exact(next(low, 1)) > least).toBe(true);
          expect(exact(high) >= most && exact(next(high, -1)) < most).toBe(true);
        }
      }),
      runs(300),
    );
  });

  it('overlaps the box of every body that it hits on the way, and can be written into a given array', () => {
    const at = (x: number) => [x, ...new Array<number>(dimensions - 1).fill(0)];
    const from = Float32Array.from([...at(0), ...at(50), ...at(5)]);
    const to = Float32Array.from([...at(10), ...at(51), ...at(5)]);
    const boxes = new Float32Array(6 * dimensions + 3).fill(7);
    expect(sweptBox({ dimensions, from, to, radius: 0.5 }, boxes)).toBe(boxes);
    expect([...boxes.subarray(-3)]).toEqual([7, 7, 7]);
    const { pairs } = findOverlaps(boxes.subarray(0, 6 * dimensions), { dimensions });
    expect([...pairs]).toEqual([0, 2]);
  });
});

describe('the box that a body covers', () => {
  it('contains bodies of a radius that 32-bit floats round up', () => {
    const radius = 0.1;
    expect(Math.fround(radius)).toBeGreaterThan(radius);
    const [low, , high] = sweptBox({
      dimensions: 2,
      from: new Float32Array(2),
      to: new Float32Array(2),
      radius,
    });
    expect([low, high]).toEqual([-Math.fround(radius), Math.fround(radius)]);
  });

  it('is invalid if a position is not finite or the box exceeds 32-bit floats', () => {
    const from = Float32Array.of(Number.NaN, 0, 3e38, 0, 0, 0);
    const radii = Float32Array.of(1, 1e38, 1);
    const boxes = sweptBox({ dimensions: 2, from, to: from, radii });
    expect(findOverlaps(boxes, { dimensions: 2 }).invalid).toBe(2);
  });

  it.each<[Partial<Record<keyof SweptBodies, unknown>>, string]>([
    [{ dimensions: 4 }, 'dimensions is 4, but it must be 2 or 3.'],
    [{ from: [0, 0] }, 'from is [0, 0], but it must be a Float32Array with 2 numbers per body.'],
    [{ from: new Float32Array(3) }, 'from is a Float32Array of length 3'],
    [
      { to: new Float32Array(4) },
      'to is a Float32Array of length 4, but it must be a Float32Array of length 2, the length of "from".',
    ],
    [
      { radius: undefined },
      'bodies is an object with no size, but it must be one with exactly one of radius, radii and halfExtents.',
    ],
    [{ radii: new Float32Array(1) }, 'bodies is an object with radius and radii, but'],
    [{ radius: -1 }, 'radius is -1'],
    [{ radius: undefined, radii: new Float32Array(2) }, 'radii is a Float32Array of length 2'],
    [{ radius: undefined, halfExtents: Float32Array.of(1, -1) }, 'halfExtents[1] is -1'],
    [{ radiuses: 1 } as object, 'bodies.radiuses is 1'],
  ])('cannot be computed from %o', (wrong, message) => {
    const bodies = { dimensions: 2, from: new Float32Array(2), to: new Float32Array(2), radius: 1, ...wrong };
    const sweep = () => sweptBox(bodies as unknown as SweptBodies);
    expect(sweep).toThrow(ArgumentError);
    expect(sweep).toThrow(message);
  });

  it('cannot be written into an array that is too short', () => {
    const from = new Float32Array(2);
    expect(() => sweptBox({ dimensions: 2, from, to: from, radius: 1 }, from)).toThrow('at least 4 numbers');
  });
});
