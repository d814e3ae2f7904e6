/**
 * Applies pressure to the velocities, and extrapolates velocities to unknown faces. Twin of
 * shaders/fluid/pressure/project.wgsl and shaders/fluid/extrapolate.wgsl.
 */
import { eachRow, type Lattice } from '../lattice';

export function applyPressure(
  { dimensions, size, strides }: Lattice,
  coupling: Float64Array,
  /** Length of `coupling` per axis. */
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

/** Layers of faces that get an extrapolated velocity. Faces beyond get velocity 0; particles rarely read them. */
export const LAYERS = 4;

/**
 * Extrapolates LAYERS layers, from the known faces outwards. In each layer, unknown faces next to known faces get the
 * mean velocity of these neighbours, and become known.
 */
export function extrapolate(lattice: Lattice, velocity: Float64Array, known: Uint8Array): void {
  const { dimensions, size } = lattice;
  for (let layer = 0; layer < LAYERS; layer++) {
    const before = known.slice();
    for (let axis = 0; axis < dimensions; axis++) {
      const faces = [axis * size, (axis + 1) * size] as const;
      spread(
        lattice,
        axis,
        velocity.subarray(...faces),
        before.subarray(...faces),
        known.subarray(...faces),
        layer === LAYERS - 1,
      );
    }
  }
}

/** Extrapolates by one layer, on the faces of one axis. In the last layer, faces that stay unknown get velocity 0. */
function spread(
  lattice: Lattice,
  axis: number,
  velocity: Float64Array,
  before: Uint8Array,
  known: Uint8Array,
  isLast: boolean,
): void {
  const { dimensions, strides, cells } = lattice;
  const [, stride, plane] = strides;
  const lastY = cells[1] - (axis === 1 ? 0 : 1);
  const lastZ = dimensions === 2 ? 0 : cells[2] - (axis === 2 ? 0 : 1);
  eachRow(lattice, axis, (row, end, y, z) => {
    for (let face = row; face < end; face++) {
      if (before[face]) continue;
      let sum = 0;
      let count = 0;
      if (face > row && before[face - 1]) {
        sum += velocity[face - 1] as number;
        count++;
      }
      if (face + 1 < end && before[face + 1]) {
        sum += velocity[face + 1] as number;
        count++;
      }
      if (y > 0 && before[face - stride]) {
        sum += velocity[face - stride] as number;
        count++;
      }
      if (y < lastY && before[face + stride]) {
        sum += velocity[face + stride] as number;
        count++;
      }
      if (z > 0 && before[face - plane]) {
        sum += velocity[face - plane] as number;
        count++;
      }
      if (z < lastZ && before[face + plane]) {
        sum += velocity[face + plane] as number;
        count++;
      }
      if (count > 0) {
        velocity[face] = sum / count;
        known[face] = 1;
      } else if (isLast) {
        velocity[face] = 0;
      }
    }
  });
}
