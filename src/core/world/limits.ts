/** Limits of sizes, counts and speeds. */
import { ArgumentError } from '../base/errors';

/** With more cells per axis, 32-bit floats have too few bits left to determine a position's cell. */
export const MAX_CELLS_PER_AXIS = 2 ** 19;

/** With fewer cells along a periodic axis, the cells before and after a cell would be the same cell. */
export const FEWEST_PERIODIC_CELLS = 3;

export const GREATEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** The length of `start` must fit a signed 32-bit integer. Without levels, it is the number of cells plus three. */
export const MAX_CELLS = 2 ** 31 - 4;

/**
 * Two layouts limit the number of levels: a uniform holds the first bucket of each level (TABLE_WORDS in
 * gpu/layout.ts), and a 32-bit word holds CROWD_BIT and one bit per level.
 */
export const MAX_LEVELS = 24;

/** Greatest relative rounding error of one 32-bit operation. */
export const UNIT_ROUNDOFF = 2 ** -24;

/** Far outside this range, squares overflow or underflow in 32-bit floats, and contacts are lost. */
export const SMALLEST_DIAMETER = 2 ** -40;
export const LARGEST_DIAMETER = 2 ** 60;

/**
 * A particle with a velocity component of this magnitude or more is quarantined, so that sums of squared speeds cannot
 * overflow. Each of the measure pass's 1,024 workgroups sums at most 2^21 particles, since MAX_PARTICLES is below 2^31.
 * The sum is at most 2^21 · 3 · (2^48)² < 2^119, and floats end at 2^128. The difference leaves room for speeds that a
 * bounce raises after the check.
 */
export const GREATEST_SPEED = 2 ** 48;

export function checkDiameter(argument: string, diameter: unknown): asserts diameter is number {
  if (typeof diameter !== 'number' || !(diameter >= SMALLEST_DIAMETER && diameter <= LARGEST_DIAMETER)) {
    throw new ArgumentError(argument, diameter, 'a number from 2^-40 to 2^60');
  }
}

/** Returns the least power of two that is at least `value`, which must be positive. */
export function powerAbove(value: number): number {
  const power = 2 ** Math.ceil(Math.log2(value));
  // The logarithm may have been rounded down across a power of two.
  return power < value ? 2 * power : power;
}
