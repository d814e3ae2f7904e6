/**
 * Purpose: where walls hold what moves in kernels and methods of one's own: at the ends of a box, along the axes that do not wrap around. Space without end has none.
 */
import type { World } from './world';

/** Along an axis that wraps around nobody gets there, and no kernel needs a case for it. */
const OUT_OF_REACH = 2 ** 100;

export interface Walls {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

export function wallsOf({ kind, min, max, period }: Pick<World, 'kind' | 'min' | 'max' | 'period'>): Walls {
  const isOpen = (axis: number) => kind === 'unbounded' || period[axis] !== 0;
  return {
    lower: min.map((low, axis) => (isOpen(axis) ? -OUT_OF_REACH : low)),
    upper: max.map((high, axis) => (isOpen(axis) ? OUT_OF_REACH : high)),
  };
}
