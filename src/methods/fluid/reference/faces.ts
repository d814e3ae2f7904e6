/**
 * Applies gravity to the faces of fluid cells, and the velocities of solids to faces between solid and free cells.
 * Marks these faces as known; the velocities of other faces are extrapolated later. Twin of shaders/fluid/faces.wgsl.
 */
import { eachRow, FLUID, type Lattice, SOLID } from '../lattice';
import type { Obstacle } from '../obstacles';

export interface FaceInput {
  readonly lattice: Lattice;
  readonly kinds: Uint8Array;
  readonly obstacles: readonly Obstacle[];
  /** Velocity that gravity adds in the substep, per axis. */
  readonly gain: readonly number[];
}

/** Changes `velocity`, and writes `known`, which has the same layout. */
export function driveFaces(
  { lattice, kinds, obstacles, gain }: FaceInput,
  velocity: Float64Array,
  known: Uint8Array,
): void {
  const { dimensions, size, strides } = lattice;
  known.fill(0);
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    const added = gain[axis] as number;
    eachRow(lattice, axis, (row, end, y, z) => {
      for (let face = row; face < end; face++) {
        const entry = axis * size + face;
        const atEnd = (axis === 0 ? face - row : axis === 1 ? y : z) === 0;
        const lower = atEnd ? SOLID : (kinds[face - stride] as number);
        const upper = kinds[face] as number;
        if (lower >= SOLID && upper >= SOLID) continue;
        if (lower >= SOLID || upper >= SOLID) {
          const obstacle = obstacles[Math.max(lower, upper) - SOLID - 1];
          velocity[entry] = obstacle?.velocity[axis] ?? 0;
          known[entry] = 1;
        } else if (lower === FLUID || upper === FLUID) {
          velocity[entry] = (velocity[entry] as number) + added;
          known[entry] = 1;
        }
      }
    });
  }
}
