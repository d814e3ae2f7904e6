/**
 * Purpose: what each cell is, solid, fluid or air, and how full it is. Twin of shaders/fluid/kinds.wgsl and fullness.wgsl.
 * Inputs: the mask of solid cells, obstacles that move, and what particles brought. Outputs: kinds, and fullness: 1 where
 * as many particles are around as there should be.
 */
import { AIR, eachCell, FLUID, type Lattice, SOLID } from '../lattice';
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
  const depth = lattice.dimensions === 3 ? 1 : 0;
  eachCell(lattice, (entry, x, y, z) => {
    const middle = [(x + 0.5) * cellSize, (y + 0.5) * cellSize, depth * (z + 0.5) * cellSize];
    const obstacle = obstacles.findIndex((candidate) => insideObstacle(candidate, middle));
    kinds[entry] = mask[entry] ? SOLID : obstacle >= 0 ? SOLID + 1 + obstacle : AIR;
  });
}

export function markCells(
  input: CellInput,
  { crowd, inside }: Transferred,
  kinds: Uint8Array,
  fullness: Float64Array,
): void {
  const { lattice, particlesPerCell } = input;
  const { dimensions, strides } = lattice;
  markSolids(input, kinds);
  fullness.fill(0);
  const layers = dimensions === 3 ? [-1, 0, 1] : [0];
  eachCell(lattice, (entry, x, y, z) => {
    if ((kinds[entry] as number) >= SOLID) return;
    // Of the weight around the middle, what particles can be in.
    let free = 0;
    for (const dz of layers) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          if (x + dx < 0 || y + dy < 0 || z + dz < 0) continue;
          if ((kinds[entry + dx + dy * strides[1] + dz * strides[2]] as number) >= SOLID) continue;
          const depth = dimensions === 3 ? (dz === 0 ? OWN_SHARE : SIDE_SHARE) : 1;
          free += (dx === 0 ? OWN_SHARE : SIDE_SHARE) * (dy === 0 ? OWN_SHARE : SIDE_SHARE) * depth;
        }
      }
    }
    fullness[entry] = (crowd[entry] as number) / (particlesPerCell * free);
  });
  eachCell(lattice, (entry) => {
    if (kinds[entry] === AIR && (inside[entry] as number) > 0) kinds[entry] = FLUID;
  });
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
