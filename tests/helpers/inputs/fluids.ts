import type { FluidOptions } from '../../../src/methods/fluid';

/** A tank with an emitter, which adds particles, and a drain, which removes them. */
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

/** The right room is full to its ceiling, so its fluid cannot expand, and no pressure corrects its density. */
export const CELLAR: FluidOptions = {
  dimensions: 2,
  cells: [12, 12],
  cellSize: 1 / 12,
  solids: ([x = 0, y = 0]) => (x > 0.45 && x < 0.55) || (x > 0.55 && y > 0.7),
  fill: [
    { min: [0, 0], max: [0.45, 0.5] },
    { min: [0.55, 0], max: [1, 0.7] },
  ],
};

/** Returns crowded particles. The density correction lifts them, which adds energy. */
export function denseFluid(): FluidOptions {
  const positions: number[] = [];
  for (let y = 0; y < 12; y++)
    for (let x = 0; x < 24; x++) positions.push((x + 0.5 + 0.2 * ((x * 7 + y * 3) % 5)) / 26, (y + 0.5) / 26);
  const velocities = new Float32Array(positions.length).map((_, index) => (index % 2 === 0 ? 0.5 : 0));
  return {
    dimensions: 2,
    cells: [8, 8],
    cellSize: 1 / 8,
    positions: Float32Array.from(positions),
    velocities,
    mostIterations: 8,
  };
}
