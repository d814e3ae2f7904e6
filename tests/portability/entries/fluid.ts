/** Runs a fluid twice on the GPU and once on the CPU, and compares the results. Runs under Deno for fluid.test.ts. */
import type { Dimensions } from '../../../src/core/world/world';
import { requestGpu } from '../../../src/index';
import { createCpuFluid, createFluid, type FluidOptions } from '../../../src/methods/fluid';
import { damBreak } from '../../../src/verify/fluid';

export interface FluidReport {
  readonly hashes: readonly string[];
  readonly difference: number;
  readonly residual: number;
  readonly complaints: readonly string[];
}

const STEPS = 3;

export default async (dimensions: Dimensions): Promise<FluidReport> => {
  const gpu = await requestGpu({ particles: 4096, dimensions });
  const complaints: string[] = [];
  gpu.device.onuncapturederror = ({ error }) => {
    complaints.push(error.message);
  };
  const options: FluidOptions = damBreak(dimensions, dimensions === 2 ? 40 : 12, {
    transfer: 'apic',
    mostIterations: 8,
    obstacles: [
      dimensions === 2
        ? { shape: 'ball', position: [0.8, 0.2], radius: 0.15, velocity: [-1, 0] }
        : { shape: 'box', position: [0.8, 0.2, 0.1], halfExtents: [0.15, 0.2, 0.2], velocity: [-1, 0, 0] },
    ],
  });
  const twin = createCpuFluid(options);
  for (let step = 0; step < STEPS; step++) twin.step(1 / 120, 1);
  const expected = twin.read().positions;
  const hashes: string[] = [];
  let [difference, residual] = [0, 0];
  for (let run = 0; run < 2; run++) {
    const fluid = await createFluid(gpu, options);
    for (let step = 0; step < STEPS; step++) fluid.step(1 / 120, 1);
    const seen = await fluid.measure();
    hashes.push(seen.hash);
    residual = seen.residual;
    const { positions } = await fluid.read();
    positions.forEach((value, index) => {
      difference = Math.max(difference, Math.abs(value - (expected[index] as number)));
    });
    fluid.destroy();
  }
  gpu.destroy();
  return { hashes, difference, residual, complaints };
};
