/** A fountain: a jet from the floor of a pool, and a drain beside it, so that particles come and go. */
import type { FluidOptions } from '../../src/fluid';

export const FOUNTAIN: FluidOptions = {
  dimensions: 2,
  cells: [16, 16],
  cellSize: 1 / 16,
  fill: [{ min: [0, 0], max: [1, 0.2] }],
  capacity: 250,
  transfer: 'apic',
  mostIterations: 8,
  emitters: [{ min: [0.4, 0.2], max: [0.6, 0.3], velocity: [0.2, 3] }],
  drains: [{ centre: [0, 0.1], radius: 0.1 }],
  obstacles: [{ shape: 'ball', position: [0.8, 0.4], radius: 0.1, velocity: [-0.2, 0.1] }],
};
