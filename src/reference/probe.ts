/**
 * Purpose: the neighbour loop. Twin of shaders/shared/probe_grid.wgsl.
 * Calls `visit` for every other slot in the 3×3 (3×3×3) cells around a cell; three cells of a row are one
 * range, and the ring of empty cells makes every row exist.
 * Ordering: slots ascending. A cell past the last (quarantine, exit) has no neighbours.
 */
import type { World } from '../core/world';

export function probeCells(
  world: World,
  start: Uint32Array,
  slot: number,
  cell: number,
  visit: (other: number) => void,
): void {
  if (cell >= world.cellCount) return;
  const row = world.cells[0] as number;
  const layer = row * (world.cells[1] as number);
  const reach = world.dimensions === 3 ? layer : 0;
  for (let below = cell - reach; below <= cell + reach; below += layer) {
    for (let centre = below - row; centre <= below + row; centre += row) {
      const end = start[centre + 2] as number;
      for (let other = start[centre - 1] as number; other < end; other++) {
        if (other !== slot) visit(other);
      }
    }
  }
}
