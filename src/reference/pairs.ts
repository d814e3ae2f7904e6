/**
 * Purpose: all overlapping pairs, found through the grid in 32-bit arithmetic. Twin of
 * shaders/measure/pairs.wgsl with the host's sort of each id's pairs after it.
 * Inputs: a grid whose cells are those of its positions. Output: pairs of ids, sorted.
 */
import type { PairList } from '../core/simulation';
import type { World } from '../core/world';
import { distanceSquared } from './contact';
import type { Grid } from './grid';
import { PairCollector } from './pair-list';
import { probeCells } from './probe';

export function findPairs(
  world: World,
  diameter: number,
  grid: Pick<Grid, 'start' | 'ids' | 'cells' | 'lattices' | 'positions'>,
): PairList {
  const limit = Math.fround(diameter * diameter);
  const pairs = new PairCollector();
  for (let slot = 0; slot < grid.ids.length; slot++) {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      if (distanceSquared(world, grid.positions, slot, other) < limit) {
        pairs.add(grid.ids[slot] as number, grid.ids[other] as number);
      }
    });
  }
  return pairs.toPairList();
}
