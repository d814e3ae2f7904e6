/** Boxes around moving bodies, for broad phases that find what may collide during a step. */
import { checkDimensions, checkKnownKeys, checkPositive } from '../base/checks';
import { ArgumentError, Phrase } from '../base/errors';
import type { Dimensions } from '../world/world';

/** Bodies that move straight from one position to another. Give `radius`, `radii` or `halfExtents`. */
export interface SweptBodies {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The centre of each body at the start of the step: `dimensions` numbers per body. */
  readonly from: Float32Array;
  /** The centre of each body at the end of the step. */
  readonly to: Float32Array;
  /** The radius of all bodies. */
  readonly radius?: number | undefined;
  /** The radius of each body. */
  readonly radii?: Float32Array | undefined;
  /** Half of each edge of each body, which is then a box: `dimensions` numbers per body. */
  readonly halfExtents?: Float32Array | undefined;
}

const KEYS = ['dimensions', 'from', 'to', 'radius', 'radii', 'halfExtents'] as const;

/**
 * Returns the box that each body covers while it moves straight from `from` to `to`: its low corner, then its high one.
 * Two bodies may collide during the step only if their boxes overlap. Corners are rounded outward to 32-bit floats, so
 * a box contains its whole body. A corner is not finite if a position is not, or if the corner exceeds the largest
 * float; finders count such a box as invalid.
 *
 * `boxes` receives the result; default: a new array.
 *
 * @example
 * ```ts
 * const from = Float32Array.of(0, 0, 9, 0);
 * const to = Float32Array.of(4, 0, 5, 0);
 * const boxes = sweptBox({ dimensions: 2, from, to, radius: 1 }); // -1, -1, 5, 1 and 4, -1, 10, 1
 * const { pairs } = findOverlaps(boxes, { dimensions: 2 }); // 0, 1
 * ```
 */
export function sweptBox(bodies: SweptBodies, boxes?: Float32Array): Float32Array {
  checkKnownKeys('bodies', bodies, KEYS);
  const { dimensions, from, to, radius, radii, halfExtents } = bodies;
  checkDimensions(dimensions);
  if (!(from instanceof Float32Array) || from.length % dimensions !== 0)
    throw new ArgumentError('from', from, `a Float32Array with ${dimensions} numbers per body`);
  if (!(to instanceof Float32Array) || to.length !== from.length)
    throw new ArgumentError('to', to, `a Float32Array of length ${from.length}, the length of "from"`);
  const count = from.length / dimensions;
  const sizes = [radius, radii, halfExtents].filter((size) => size !== undefined);
  if (sizes.length !== 1) {
    const given = KEYS.slice(3).filter((key) => bodies[key] !== undefined);
    const phrase = new Phrase(`an object with ${given.join(' and ') || 'no size'}`);
    throw new ArgumentError('bodies', phrase, 'one with exactly one of radius, radii and halfExtents');
  }
  if (radius !== undefined) checkPositive('radius', radius);
  if (radii) checkSizes('radii', radii, count);
  if (halfExtents) checkSizes('halfExtents', halfExtents, from.length);
  const swept = boxes ?? new Float32Array(2 * from.length);
  if (!(swept instanceof Float32Array) || swept.length < 2 * from.length)
    throw new ArgumentError('boxes', boxes, `a Float32Array with at least ${2 * from.length} numbers`);
  // Engines store the radius as a 32-bit float, which may be greater.
  const whole = radius === undefined ? undefined : Math.max(radius, Math.fround(radius));
  for (let index = 0; index < from.length; index++) {
    const body = Math.floor(index / dimensions);
    const half = whole ?? (radii ? radii[body] : halfExtents?.[index]) ?? 0;
    const start = from[index] as number;
    const end = to[index] as number;
    const low = index + dimensions * body;
    swept[low] = -sumAbove(-Math.min(start, end), half);
    swept[low + dimensions] = sumAbove(Math.max(start, end), half);
  }
  return swept;
}

const number = new Float32Array(1);
const bits = new Int32Array(number.buffer);

/** Returns the least 32-bit float that is not below the exact sum. */
function sumAbove(one: number, other: number): number {
  const sum = one + other;
  const added = sum - one;
  // The exact sum is sum + error.
  const error = one - (sum - added) + (other - added);
  const rounded = Math.fround(sum);
  if (!(rounded < sum || (rounded === sum && error > 0))) return rounded;
  number[0] = rounded;
  if (rounded === 0) bits[0] = 1;
  else bits[0] = (bits[0] as number) + (rounded > 0 ? 1 : -1);
  return number[0];
}

function checkSizes(argument: string, sizes: Float32Array, length: number): void {
  if (!(sizes instanceof Float32Array) || sizes.length !== length)
    throw new ArgumentError(argument, sizes, `a Float32Array of length ${length}`);
  for (let index = 0; index < length; index++) {
    const size = sizes[index] as number;
    if (!(size >= 0 && size < Number.POSITIVE_INFINITY))
      throw new ArgumentError(`${argument}[${index}]`, size, 'a finite number that is not negative');
  }
}
