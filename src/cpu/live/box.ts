/** Finds the objects whose centre, or an image of it, is in a box, bounds included. The ids are in any order. */
import type { Bounds } from '../../core/world/bounds';
import { isInside, sidesOf } from '../equal/box';
import { type LiveCells, WORDS } from './cells';
import type { Found } from './found';

export function findInBoxLive(
  cells: LiveCells,
  bounds: Bounds,
  min: readonly number[],
  max: readonly number[],
  found: Found,
): void {
  const { reals, occupied, occupiedLevels } = cells;
  const sides = sidesOf(bounds, min, max);
  if (sides === undefined) return;
  const consider = (id: number) => {
    if (isInside(sides, reals, id, WORDS)) found.push(id);
  };
  for (let index = 0; index < occupiedLevels; index++) {
    cells.visitBetween(occupied[index] as number, sides, consider);
  }
}
