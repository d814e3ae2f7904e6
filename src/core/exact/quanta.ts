/**
 * The units of exact simulations. A quantum of length is a power-of-two share of the diameter; positions are whole
 * numbers of quanta from the low corner of the world, velocities whole numbers of quanta per second.
 * docs/design/exact.md says why these numbers suffice and cannot overflow.
 */
import { ArgumentError } from '../base/errors';
import { FEWEST_PERIODIC_CELLS } from '../world/limits';
import type { World } from '../world/types';

/** Most and fewest quanta per diameter, as exponents of two. Large worlds get coarser quanta. */
const FINEST = 20;
const COARSEST = 14;

/** Positions are from −REACH to REACH − 1 quanta. */
export const REACH = 2 ** 30;

/** Greatest magnitude of a velocity component, in quanta per second. */
export const FASTEST = 2 ** 29;

/** Greatest magnitude of a component of a particle's sum of changes, and of its sum of pushes. */
export const MOST_CHANGE = 2 ** 30;
export const MOST_PUSH = 2 ** 28;

/** Limits a coordinate to the range of positions. */
export function within(position: number): number {
  return position < -REACH ? -REACH : position >= REACH ? REACH - 1 : position;
}

export interface Quanta {
  /** Quanta per diameter, a power of two from 2¹⁴ to 2²⁰. */
  readonly diameter: number;
  /** The length of a quantum. */
  readonly length: number;
  /** The low corner of the world, which has position 0. */
  readonly origin: readonly number[];
  /** The size of the world along each axis, in quanta. */
  readonly extent: readonly number[];
  /** The period along each axis, in quanta; 0 if the axis does not wrap. */
  readonly period: readonly number[];
  /**
   * The diameter with which floats search for candidates. It is so large that rounding positions to floats never hides
   * an overlap. A longer list of candidates gives the same results.
   */
  readonly searchDiameter: number;
}

/** Chooses the quanta. `diameter` is a 32-bit float. Throws if the world is too small, too large or too far from 0. */
export function defineQuanta(
  { min, max, period }: Pick<World, 'min' | 'max' | 'period'>,
  diameter: number,
): Quanta {
  const sizes = min.map((low, axis) => (max[axis] as number) - low);
  const longest = Math.max(...sizes);
  let bits = FINEST;
  // Keeps a margin of two diameters, so that positions just outside the box are in range, too.
  while (bits > COARSEST && (longest / diameter + 2) * 2 ** bits > REACH) bits--;
  const perDiameter = 2 ** bits;
  const length = diameter / perDiameter;
  const most = (REACH / perDiameter - 2) * diameter;
  const refuse = (axis: number, bound: string) => {
    const accepted = `${bound} above min[${axis}] in an exact simulation with this diameter`;
    throw new ArgumentError(`max[${axis}]`, max[axis], accepted);
  };
  if (longest > most) refuse(sizes.indexOf(longest), `at most ${most}`);
  const extent = sizes.map((size) => Math.round(size / length));
  const farthest = Math.max(...min.map(Math.abs), ...max.map(Math.abs));
  // A device computes a coordinate with three roundings of 2⁻²⁴ each. For two positions in 3D, these add up to less
  // than 11 · 2⁻²⁴ of the farthest coordinate.
  const searchDiameter = Math.fround(diameter + 2 ** -20 * (farthest + REACH * length));
  if (searchDiameter > 1.25 * diameter) {
    throw new ArgumentError('min', min, 'nearer to 0 in an exact simulation, as floats are coarse far out');
  }
  sizes.forEach((size, axis) => {
    const least = ((period[axis] as number) > 0 ? FEWEST_PERIODIC_CELLS : 1) * searchDiameter;
    if (size < least) refuse(axis, `at least ${least}`);
  });
  return {
    diameter: perDiameter,
    length,
    origin: min,
    extent,
    // The world's period is a 32-bit float, which may differ from the extent.
    period: period.map((along, axis) => (along > 0 ? (extent[axis] as number) : 0)),
    searchDiameter,
  };
}
