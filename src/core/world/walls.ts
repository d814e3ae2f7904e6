/** Computes the walls of a world for kernels and methods. */
import { ArgumentError } from '../base/errors';
import type { World } from './world';

/** Stands for a wall along an axis without walls. It is so far away that kernels need no extra case. */
const OUT_OF_REACH = 2 ** 100;

/** The ends of a box along its axes that are not periodic. */
export interface Walls {
  /** The low walls; −2^100 along axes without walls. */
  readonly lower: readonly number[];
  /** The high walls; 2^100 along axes without walls. */
  readonly upper: readonly number[];
}

/** Returns the walls of a grid's `world`. */
export function wallsOf(world: Pick<World, 'kind' | 'min' | 'max' | 'period'>): Walls {
  if (!Array.isArray(world?.period)) throw new ArgumentError('world', world, 'the `world` of a grid');
  const { kind, min, max, period } = world;
  const isOpen = (axis: number) => kind === 'unbounded' || period[axis] !== 0;
  return {
    lower: min.map((low, axis) => (isOpen(axis) ? -OUT_OF_REACH : low)),
    upper: max.map((high, axis) => (isOpen(axis) ? OUT_OF_REACH : high)),
  };
}
