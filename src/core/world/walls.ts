/** Computes the positions of walls for custom kernels and methods: the ends of a box along its non-periodic axes. */
import { ArgumentError } from '../base/errors';
import type { World } from './world';

/** Position of the walls along axes without walls: so far away that kernels need no case for such axes. */
const OUT_OF_REACH = 2 ** 100;

export interface Walls {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

export function wallsOf(world: Pick<World, 'kind' | 'min' | 'max' | 'period'>): Walls {
  if (!Array.isArray(world?.period)) throw new ArgumentError('world', world, 'the `world` of a grid');
  const { kind, min, max, period } = world;
  const isOpen = (axis: number) => kind === 'unbounded' || period[axis] !== 0;
  return {
    lower: min.map((low, axis) => (isOpen(axis) ? -OUT_OF_REACH : low)),
    upper: max.map((high, axis) => (isOpen(axis) ? OUT_OF_REACH : high)),
  };
}
