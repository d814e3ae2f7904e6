/** Limits of the sizes, counts and speeds that worlds and engines accept, with the reasons. */
import { FINER_LEVEL_BITS } from '../base/constants';
import { ArgumentError } from '../base/errors';

/**
 * The greatest number of cells per axis. With more, a 32-bit float has too few bits left to determine the cell of a
 * position.
 */
export const MAX_CELLS_PER_AXIS = 2 ** 19;

/** Least number of cells along a periodic axis. With fewer, both neighbours of a cell would be the same cell. */
export const FEWEST_PERIODIC_CELLS = 3;

export const GREATEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/**
 * The greatest number of cells. Without levels, `start` has three more entries; its length must fit a signed 32-bit
 * integer.
 */
export const MAX_CELLS = 2 ** 31 - 4;

/** The greatest number of particles in a world with levels: a finer entry packs a slot and a level into 32 bits. */
export const MAX_LEVEL_PARTICLES = 2 ** (32 - FINER_LEVEL_BITS);

/**
 * The greatest number of levels. Two layouts limit it:
 * - A uniform holds the first bucket of each level (TABLE_WORDS in gpu/layout.ts).
 * - A 32-bit word holds CROWD_BIT and one bit per level.
 */
export const MAX_LEVELS = 24;

/** Greatest rounding error of one 32-bit float operation, relative to its result. */
export const UNIT_ROUNDOFF = 2 ** -24;

/** Range of diameters. Far outside it, squares overflow or underflow in 32-bit floats, so that contacts are lost. */
export const SMALLEST_DIAMETER = 2 ** -40;
export const LARGEST_DIAMETER = 2 ** 60;

/**
 * If a velocity component reaches this value, engines treat the particle as not finite and quarantine it. Otherwise a
 * sum of squared speeds could overflow.
 *
 * Why 2^48: the measure pass has 1,024 workgroups. Each sums in 32-bit floats; the rest is summed in doubles. A
 * workgroup sums at most 2^21 particles, since MAX_PARTICLES is below 2^31. So its sum is at most 2^21 · 3 · (2^48)²,
 * which is below 2^119, and floats end at 2^128. The remaining factor of 2^9 leaves room for speeds that a bounce
 * raises after the check.
 */
export const GREATEST_SPEED = 2 ** 48;

export function checkDiameter(argument: string, diameter: unknown): asserts diameter is number {
  if (typeof diameter !== 'number' || !(diameter >= SMALLEST_DIAMETER && diameter <= LARGEST_DIAMETER)) {
    throw new ArgumentError(argument, diameter, 'a number from 2^-40 to 2^60');
  }
}

/** Returns the least power of two that is at least `value`. `value` must be positive. */
export function powerAbove(value: number): number {
  const power = 2 ** Math.ceil(Math.log2(value));
  // The logarithm may have been rounded down across a power of two.
  return power < value ? 2 * power : power;
}
