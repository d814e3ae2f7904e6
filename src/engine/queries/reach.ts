/**
 * Checks the radius of a query and chooses its neighbour loop: the narrow one visits the adjacent cells, the wide one
 * all cells of a box (shaders/neighbours/probe_box.wgsl).
 */
import { ArgumentError } from '../../core/base/errors';
import { cellsSpanned, LARGEST_DIAMETER, SMALLEST_DIAMETER, type World } from '../../core/world/world';
import type { Breadth } from '../../passes/modules';

/**
 * Checks the radius of a search. In a periodic world it is at most half the shortest period, because a search with a
 * larger radius could reach two images of one particle.
 */
export function checkReach(argument: string, world: World, radius: unknown): asserts radius is number {
  const half = Math.min(...world.period.filter((length) => length > 0)) / 2;
  const isPeriodic = half < LARGEST_DIAMETER;
  const most = isPeriodic ? half : LARGEST_DIAMETER;
  const words = isPeriodic ? `${half}, half the shortest period of the world` : '2^60';
  checkRadius(argument, radius, most, words);
}

/**
 * The least radius is 2⁻⁴⁰, because squares of far smaller ones would underflow. `words` describes `most` in the error
 * message.
 */
export function checkRadius(
  argument: string,
  radius: unknown,
  most: number,
  words: string,
): asserts radius is number {
  // NaN fails both comparisons.
  if (typeof radius === 'number' && radius >= SMALLEST_DIAMETER && radius <= most) return;
  throw new ArgumentError(argument, radius, `at least 2^-40 and at most ${words}`);
}

export function breadthFor(world: World, radius: number): Breadth {
  if (world.levels > 0) return 'wide';
  return cellsSpanned(world, radius) > 1 ? 'wide' : 'narrow';
}

/** Returns radius², rounded like the shaders round it. */
export function reachSquared(radius: number): number {
  const reach = Math.fround(radius);
  return Math.fround(reach * reach);
}
