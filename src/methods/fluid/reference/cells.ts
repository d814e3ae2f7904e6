/**
 * Purpose: what each cell is: solid, fluid where a particle is in it, else air. Twin of shaders/fluid/kinds.wgsl.
 * Inputs: the mask of solid cells, obstacles that move, and how many particles are in each cell. Output: kinds.
 */
import { AIR, eachRow, FLUID, type Lattice, SOLID } from '../lattice';
import { insideObstacle, type Obstacle } from '../obstacles';

export interface CellInput {
  readonly lattice: Lattice;
  readonly cellSize: number;
  /** Over the lattice: 1 where a cell is solid for good. */
  readonly mask: Uint8Array;
  readonly obstacles: readonly Obstacle[];
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

/** `inside`: particles in each cell; `kinds` as markSolids left them. */
export function markFluid(lattice: Lattice, inside: Uint32Array, kinds: Uint8Array): void {
  eachRow(lattice, -1, (row, end) => {
    for (let cell = row; cell < end; cell++)
      if (kinds[cell] === AIR && (inside[cell] as number) > 0) kinds[cell] = FLUID;
  });
}

/** Whether a particle may be at a place in the tank. */
export function isFreeAt(
  { lattice, cellSize, mask, obstacles }: CellInput,
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
