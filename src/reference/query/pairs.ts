/**
 * Finds all overlapping pairs with a grid, in 32 bits. Twin of shaders/query/pairs.wgsl. Build the grid from the
 * current positions first.
 */
import type { PairList } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';
import type { Grid } from '../grid/grid';
import { type Bodies, findContact } from '../solve/contact';
import { PairCollector } from './pair-list';
import { type ProbedGrid, probeCells } from './probe';

export function findPairs(
  world: World,
  diameter: number,
  grid: ProbedGrid & Bodies & Pick<Grid, 'ids'>,
): PairList {
  const pairs = new PairCollector();
  for (let slot = 0; slot < grid.ids.length; slot++) {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      if (findContact(world, { diameter }, grid, slot, other)) {
        pairs.add(grid.ids[slot] as number, grid.ids[other] as number);
      }
    });
  }
  return pairs.toPairList();
}
