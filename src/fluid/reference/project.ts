/**
 * Purpose: pressure to velocities, and velocities of faces that nobody knows from those beside them. Twin of
 * shaders/fluid/project.wgsl and extrapolate.wgsl.
 */
import { eachFace, type Lattice } from '../lattice';

/** Takes from each face what the difference of pressures over it drives away. */
export function applyPressure(
  { dimensions, size, strides }: Lattice,
  coupling: Float64Array,
  /** Entries of `coupling` from one axis to the next. */
  couplingSize: number,
  pressure: Float64Array,
  velocity: Float64Array,
): void {
  for (let axis = 0; axis < dimensions; axis++) {
    const stride = strides[axis] as number;
    for (let face = stride; face < size; face++) {
      const value = coupling[axis * couplingSize + face] as number;
      if (value === 0) continue;
      const entry = axis * size + face;
      const difference = (pressure[face] as number) - (pressure[face - stride] as number);
      velocity[entry] = (velocity[entry] as number) - value * difference;
    }
  }
}

/** Layers of faces around the known ones that get the mean of those beside them: how far a particle can go in a step. */
export const LAYERS = 4;

/** In place. */
export function extrapolate(lattice: Lattice, velocity: Float64Array, known: Uint8Array): void {
  const { dimensions, size, strides, cells } = lattice;
  for (let layer = 0; layer < LAYERS; layer++) {
    const before = known.slice();
    for (let axis = 0; axis < dimensions; axis++) {
      eachFace(lattice, axis, (face, x, y, z) => {
        const entry = axis * size + face;
        if (before[entry]) return;
        const at = [x, y, z];
        let sum = 0;
        let count = 0;
        for (let along = 0; along < dimensions; along++) {
          const last = (cells[along] as number) - (along === axis ? 0 : 1);
          for (const side of [-1, 1]) {
            const next = (at[along] as number) + side;
            const neighbour = entry + side * (strides[along] as number);
            if (next < 0 || next > last || !before[neighbour]) continue;
            sum += velocity[neighbour] as number;
            count++;
          }
        }
        if (count === 0) {
          // Far from all liquid.
          if (layer === LAYERS - 1) velocity[entry] = 0;
          return;
        }
        velocity[entry] = sum / count;
        known[entry] = 1;
      });
    }
  }
}
