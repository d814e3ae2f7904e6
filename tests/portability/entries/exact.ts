/** Runs an exact scene on the GPU and on the CPU engine. Runs under Deno for exact.test.ts. */
import type { Dimensions } from '../../../src/core/world/world';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { createScene, sceneOptions } from '../../../src/scenes';
import { openDevice } from './device';

export interface ExactQuestion {
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly steps: number;
}

export interface ExactReport {
  readonly gpu: string;
  readonly cpu: string;
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();

export default async ({ scene, dimensions, count, steps }: ExactQuestion): Promise<ExactReport> => {
  const options = sceneOptions(createScene(scene, { dimensions, count }), { exact: true });
  const simulation = await createSimulation(gpu, options);
  const twin = createCpuSimulation(options);
  for (let step = 0; step < steps; step++) for (const one of [simulation, twin]) one.step(1 / 60);
  const { hash } = await simulation.measure();
  simulation.destroy();
  return { gpu: hash, cpu: twin.measure().hash, complaints: complaints.splice(0) };
};
