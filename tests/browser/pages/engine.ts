/** Runs in the page of engine.test.ts: compares the engine with the reference, and returns state hashes. */
import type { Dimensions } from '../../../src/core/world/world';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { type Gpu, requestGpu } from '../../../src/gpu/device';
import { createScene, sceneOptions } from '../../../src/scenes';
import { verifyExact } from '../../../src/verify/golden';
import { largestVerified, type VerifyCase, type VerifyOptions, verify } from '../../../src/verify/verify';

/** The most particles that the tests verify. */
const MOST = 500;

let requested: Promise<Gpu> | undefined;

/** All cases of the page share one device, so kernels compile once. */
export async function runVerify(runs: readonly VerifyOptions[]): Promise<VerifyCase[]> {
  requested ??= requestGpu(largestVerified({ counts: [MOST] }));
  const gpu = await requested;
  const cases: VerifyCase[] = [];
  for (const options of runs) {
    for await (const one of verify({ gpu }, options)) cases.push(one);
  }
  return cases;
}

/** Compares exact simulations of the CPU engine with their recorded hashes. */
export async function verifyExactly(): Promise<VerifyCase[]> {
  const cases: VerifyCase[] = [];
  for await (const one of verifyExact({ createCpu: createCpuSimulation }, [2, 3])) cases.push(one);
  return cases;
}

export async function hashAfter(
  scene: string,
  dimensions: Dimensions,
  count: number,
  steps: number,
): Promise<string> {
  const gpu = await requestGpu({ particles: count, dimensions });
  const simulation = await createSimulation(gpu, sceneOptions(createScene(scene, { dimensions, count })));
  for (let step = 0; step < steps; step++) simulation.step(1 / 60);
  const { hash } = await simulation.measure();
  simulation.destroy();
  gpu.destroy();
  return hash;
}
