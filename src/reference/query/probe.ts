/**
 * The neighbour loop. Twin of shaders/neighbours/probe_bounded.wgsl, shaders/neighbours/probe_rows.wgsl and
 * shaders/levels/probe.wgsl. Skips particles that only share the bucket of an adjacent cell. With variable radii,
 * visits the slots that candidates.ts lists.
 * Ordering: slots ascending. Quarantined particles have no neighbours.
 */

import { CellstormError } from '../../core/base/errors';
import type { Sizes } from '../../core/particles/shapes';
import { bucketOfLattice } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import type { Grid } from '../grid/grid';
import { OFFSETS } from '../grid/offsets';

export type ProbedGrid = Pick<Grid, 'start' | 'cells' | 'lattices' | 'candidates'>;

export type GridState = ProbedGrid & Pick<Grid, 'positions' | 'velocities' | keyof Sizes>;

export function probeCells(
  world: World,
  grid: ProbedGrid,
  slot: number,
  visit: (other: number) => void,
): void {
  const { start, lattices } = grid;
  const cell = grid.cells[slot] as number;
  if (cell >= world.cellCount) return;
  if (world.levels > 0) {
    for (const other of candidatesOf(grid, slot)) visit(other);
    return;
  }
  if (world.kind === 'bounded') {
    probeBounded(world, start, slot, cell, visit);
    return;
  }
  const { dimensions } = world;
  const lattice = Array.from(lattices.subarray(slot * dimensions, (slot + 1) * dimensions));
  for (const other of slotsAround(world, lattice, grid)) if (other !== slot) visit(other);
}

function candidatesOf({ candidates }: ProbedGrid, slot: number): readonly number[] {
  if (!candidates)
    throw new CellstormError('The grid has no candidates: if a world has levels, build its grid with radii.');
  return candidates[slot] as readonly number[];
}

export function slotsAround(
  world: World,
  lattice: readonly number[],
  { start, lattices }: Pick<Grid, 'start' | 'lattices'>,
): number[] {
  const { dimensions } = world;
  const found: number[] = [];
  for (const offset of OFFSETS[dimensions]) {
    const near = lattice.map((coordinate, axis) => {
      const moved = coordinate + (offset[axis] as number);
      const cells = world.cells[axis] as number;
      return world.period[axis] === 0 ? moved : (moved + cells) % cells;
    });
    const bucket = bucketOfLattice(world, near);
    for (let other = start[bucket] as number; other < (start[bucket + 1] as number); other++) {
      const isThere = near.every((coordinate, axis) => lattices[other * dimensions + axis] === coordinate);
      if (isThere) found.push(other);
    }
  }
  return found.sort((a, b) => a - b);
}

/** Visits rows of three cells. The ring of empty cells makes every row exist. */
function probeBounded(
  world: World,
  start: Uint32Array,
  slot: number,
  cell: number,
  visit: (other: number) => void,
): void {
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
