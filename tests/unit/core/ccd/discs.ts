/** A few discs in a box of 64 × 8, with continuous motion and without gravity. */
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';

export function few(positions: number[], velocities: number[], more: Partial<SimulationOptions> = {}) {
  return createCpuSimulation({
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [64, 8],
    positions: new Float32Array(positions),
    velocities: new Float32Array(velocities),
    continuous: true,
    substeps: 1,
    friction: 0,
    ...more,
  });
}
