/**
 * Purpose: what each cell is, solid, fluid or air, and how full it is. Twin of shaders/fluid/kinds.wgsl and fullness.wgsl.
 * Inputs: the mask of solid cells, obstacles that move, and what particles brought. Outputs: kinds, and fullness: 1 where
 * as many particles are around as there should be.
 */
import { AIR, eachRow, FLUID, type Lattice, SOLID } from '../lattice';
import { insideObstacle, type Obstacle } from '../obstacles';
import type { Transferred } from './transfer';

/** Of the weight of one cell's middle, what falls to that cell and to the one on either side, along one axis. */
const OWN_SHARE = 0.75;
const SIDE_SHARE = 0.125;

export interface CellInput {
  readonly lattice: Lattice;
  readonly cellSize: number;
  /** Over the lattice: 1 where a cell is solid for good. */
  readonly mask: Uint8Array;
  readonly obstacles: readonly Obstacle[];
  readonly particlesPerCell: number;
}

/** Number of the obstacle + 2 of solid cells that belong to one, SOLID of others. */
export function markSolids({ lattice, cellSize, mask, obstacles }: CellInput, kinds: Uint8Array): void {
  kinds.fill(SOLID);
  const middle = [0, 0, 0];
  const isHere = (obstacle: Obstacle) => insideObstacle(obstacle, middle);
  eachRow(lattice, -1, (row, end, y, z) => {
    middle[1] = (y + 0.5) * cellSize;
    if (lattice.dimensions === 3) middle[2] = (z + 0.5) * cellSize;
    for (let cell = row; cell < end; cell++) {
      if (mask[cell]) continue;
      middle[0] = (cell - row + 0.5) * cellSize;
      const obstacle = obstacles.length > 0 ? obstacles.findIndex(isHere) : -1;
      kinds[cell] = obstacle >= 0 ? SOLID + 1 + obstacle : AIR;
    }
  });
}

export function markCells(
  input: CellInput,
  { crowd, inside }: Transferred,
  kinds: Uint8Array,
  fullness: Float64Array,
): void {
  const { lattice, particlesPerCell } = input;
  markSolids(input, kinds);
  fullness.fill(0);
  eachRow(lattice, -1, (row, end, y, z) => {
    for (let cell = row; cell < end; cell++) {
      if ((kinds[cell] as number) >= SOLID) continue;
      const near = crowd[cell] as number;
      if (near > 0) fullness[cell] = near / (particlesPerCell * freeAround(lattice, kinds, cell - row, y, z));
      if ((inside[cell] as number) > 0) kinds[cell] = FLUID;
    }
  });
}

/** Of the weight around the middle of a cell, what particles can be in. */
function freeAround(lattice: Lattice, kinds: Uint8Array, x: number, y: number, z: number): number {
  const [, stride, plane] = lattice.strides;
  const layers = lattice.dimensions === 3 ? 1 : 0;
  let free = 0;
  for (let dz = -layers; dz <= layers; dz++) {
    const depth = layers === 0 ? 1 : dz === 0 ? OWN_SHARE : SIDE_SHARE;
    for (let dy = -1; dy <= 1; dy++) {
      const height = depth * (dy === 0 ? OWN_SHARE : SIDE_SHARE);
      const row = lattice.first + (y + dy) * stride + (z + dz) * plane;
      for (let dx = -1; dx <= 1; dx++) {
        if (x + dx < 0 || y + dy < 0 || z + dz < 0) continue;
        if ((kinds[row + x + dx] as number) < SOLID) free += height * (dx === 0 ? OWN_SHARE : SIDE_SHARE);
      }
    }
  }
  return free;
}

/** Whether a particle may be at a place in the tank. */
export function isFreeAt(
  { lattice, cellSize, mask, obstacles }: Omit<CellInput, 'particlesPerCell'>,
  place: readonly number[],
): boolean {
  const { dimensions, cells, strides, first } = lattice;
  let entry = first;
  for (let axis = 0; axis < dimensions; axis++) {
    const cell = Math.min(Math.floor((place[axis] as number) / cellSize), (cells[axis] as number) - 1);
    entry += cell * (strides[axis] as number);
  }
  const whole = [0, 1, 2].map((axis) => place[axis] ?? 0);
  return !mask[entry] && !obstacles.some((obstacle) => insideObstacle(obstacle, whole));
}
