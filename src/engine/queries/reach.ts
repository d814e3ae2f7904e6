/**
 * Checks how far a query around points looks, and chooses its neighbour loop: the narrow one over the cells beside a cell, or
 * the wide one over a box (shaders/neighbours/probe_around.wgsl). The choice is made when a pipeline is created, so that radii
 * within a cell keep the faster loop.
 */
import { ArgumentError } from '../../core/base/errors';
import { cellsSpanned, LARGEST_DIAMETER, SMALLEST_DIAMETER, type World } from '../../core/world/world';
import type { Breadth } from '../../passes/modules';

/**
 * How far a query may look at most. Where the world wraps around, half the shortest period: beyond, a particle may be as
 * near by two ways.
 */
export function checkReach(argument: string, world: World, radius: unknown): asserts radius is number {
  const half = Math.min(...world.period.filter((length) => length > 0)) / 2;
  const isAround = half < LARGEST_DIAMETER;
  const most = isAround ? half : LARGEST_DIAMETER;
  const words = isAround ? `${half}, half the shortest period of the world` : '2^60';
  checkRadius(argument, radius, most, words);
}

/** Between what squares in 32 bits can tell from nothing, and `most`, told in words. */
export function checkRadius(
  argument: string,
  radius: unknown,
  most: number,
  words: string,
): asserts radius is number {
  // NaN is not within.
  if (typeof radius === 'number' && radius >= SMALLEST_DIAMETER && radius <= most) return;
  throw new ArgumentError(argument, radius, `at least 2^-40 and at most ${words}`);
}

export function breadthFor(world: World, radius: number): Breadth {
  if (world.levels > 0) return 'wide';
  return cellsSpanned(world, radius) > 1 ? 'wide' : 'narrow';
}

/** The square that distances are compared with, rounded as the shaders have it. */
export function reachSquared(radius: number): number {
  const reach = Math.fround(radius);
  return Math.fround(reach * reach);
}
