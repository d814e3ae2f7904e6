/**
 * Ends the paths of fast particles at their first hit (src/core/ccd/law.ts). Tests every particle against every other.
 * Twin of shaders/solve/ccd.
 * Inputs: the grid after the motion of a substep, and obstacles, if any. Outputs: positions and velocities in the same
 * slots, and counts of the paths.
 */
import type { CcdSearch, ContinuousCounts } from '../../core/ccd/law';
import { followPaths } from '../../core/ccd/paths';
import type { Substep } from '../../core/contact/settings';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { Sizes } from '../../core/particles/shapes';
import type { World } from '../../core/world/world';
import type { Grid } from '../grid/grid';
import type { MovedState } from './integrate';

type GridState = Pick<Grid, 'start' | 'ids' | 'positions' | 'velocities' | keyof Sizes>;

export function fly(
  world: World,
  substep: Substep,
  grid: GridState,
  obstacles?: StaticBodies,
): MovedState & ContinuousCounts {
  const positions = grid.positions.slice();
  const velocities = grid.velocities.slice();
  const live = grid.start[world.cellCount] as number;
  const { ids, radii, halves, bulks } = grid;
  const state = { ids, positions, velocities, live, radii, halves, bulks };
  const search: CcdSearch = {
    particles: (_low, _high, visit) => visitAll(live, visit),
    obstacles,
    visitObstacles: (_low, _high, visit) =>
      visitAll((obstacles?.positions.length ?? 0) / world.dimensions, visit),
    meetings(boxes, visit) {
      const count = boxes.length / (2 * world.dimensions);
      visitAll(count, (first) => {
        for (let second = first + 1; second < count; second++) visit(first, second);
      });
    },
  };
  return { ...followPaths(world, substep, state, search), positions, velocities };
}

function visitAll(count: number, visit: (index: number) => void): void {
  for (let index = 0; index < count; index++) visit(index);
}
