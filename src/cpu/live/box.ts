/**
 * Purpose: which objects of an index are in a box, bounds included: by their centres, whatever their radii. Inputs:
 * where the objects are filed, two corners. Where the world wraps around, an object is in a box if one of its images
 * is. Output: ids, in no particular order. Decided by comparisons, as in box.ts.
 */
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
  for (let place = 0; place < occupiedLevels; place++) {
    cells.visitBetween(occupied[place] as number, sides, consider);
  }
}
