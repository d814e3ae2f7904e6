/**
 * Ends the paths of fast particles at their first hit, by testing all bodies. Twin of shaders/solve/ccd. The grid must
 * be built after the motion of the substep.
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
  const activeCount = grid.start[world.cellCount] as number;
  const { ids, radii, halves, bulks } = grid;
  const state = { ids, positions, velocities, activeCount, radii, halves, bulks };
  const search: CcdSearch = {
    particles: (_low, _high, visit) => visitAll(activeCount, visit),
    obstacles,
    visitObstacles: (_low, _high, visit) =>
      visitAll((obstacles?.positions.length ?? 0) / world.dimensions, visit),
    meetings(boxes, visit) {
      const count = boxes.length / (2 * world.dimensions);
      for (let first = 0; first < count; first++) {
        for (let second = first + 1; second < count; second++) {
          if (doOverlap(world, boxes, first, second) && !visit(first, second)) return false;
        }
      }
      return true;
    },
  };
  return { ...followPaths(world, substep, state, search), positions, velocities };
}

function doOverlap(
  { dimensions, period }: World,
  boxes: Float32Array,
  first: number,
  second: number,
): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const [low = 0, high = 0] = endsOf(dimensions, boxes, first, axis);
    const [otherLow = 0, otherHigh = 0] = endsOf(dimensions, boxes, second, axis);
    const length = period[axis] as number;
    let apart = (low + high - otherLow - otherHigh) / 2;
    if (length > 0) apart -= length * Math.round(apart / length);
    if (Math.abs(apart) > (high - low + otherHigh - otherLow) / 2) return false;
  }
  return true;
}

function endsOf(dimensions: number, boxes: Float32Array, box: number, axis: number): (number | undefined)[] {
  const low = 2 * dimensions * box + axis;
  return [boxes[low], boxes[low + dimensions]];
}

function visitAll(count: number, visit: (index: number) => void): void {
  for (let index = 0; index < count; index++) visit(index);
}
