/**
 * Finds the kind of each cell. A cell that is not solid is fluid if it holds a particle, otherwise air. Twin of
 * shaders/fluid/kinds.wgsl.
 */
import { SOLID_DEPTH } from '../constants';
import { AIR, eachRow, FLUID, type Lattice, SOLID } from '../lattice';
import { insideObstacle, type Obstacle } from '../obstacles';

export interface CellInput {
  readonly lattice: Lattice;
  readonly cellSize: number;
  readonly mask: Uint8Array;
  readonly obstacles: readonly Obstacle[];
}

/** Writes the kind of each cell: AIR, SOLID, or SOLID + 1 + the index of an obstacle. */
export function markSolids({ lattice, cellSize, mask, obstacles }: CellInput, kinds: Uint8Array): void {
  kinds.fill(SOLID);
  const middle = [0, 0, 0];
  const isInside = (obstacle: Obstacle) => insideObstacle(obstacle, middle, SOLID_DEPTH * cellSize);
  eachRow(lattice, -1, (row, end, y, z) => {
    middle[1] = (y + 0.5) * cellSize;
    if (lattice.dimensions === 3) middle[2] = (z + 0.5) * cellSize;
    for (let cell = row; cell < end; cell++) {
      if (mask[cell]) continue;
      middle[0] = (cell - row + 0.5) * cellSize;
      const obstacle = obstacles.length > 0 ? obstacles.findIndex(isInside) : -1;
      kinds[cell] = obstacle >= 0 ? SOLID + 1 + obstacle : AIR;
    }
  });
}

/** Marks fluid cells. `inside`: number of particles per cell; `kinds`: result of markSolids. */
export function markFluid(lattice: Lattice, inside: Uint32Array, kinds: Uint8Array): void {
  eachRow(lattice, -1, (row, end) => {
    for (let cell = row; cell < end; cell++)
      if (kinds[cell] === AIR && (inside[cell] as number) > 0) kinds[cell] = FLUID;
  });
}

export function isFreeAt(
  { lattice, cellSize, mask, obstacles }: CellInput,
  point: readonly number[],
): boolean {
  const { dimensions, cells, strides, first } = lattice;
  let entry = first;
  for (let axis = 0; axis < dimensions; axis++) {
    const cell = Math.min(Math.floor((point[axis] as number) / cellSize), (cells[axis] as number) - 1);
    entry += cell * (strides[axis] as number);
  }
  const whole = [0, 1, 2].map((axis) => point[axis] ?? 0);
  return !mask[entry] && !obstacles.some((obstacle) => insideObstacle(obstacle, whole));
}
