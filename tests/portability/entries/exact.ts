/** Returns the hashes of an exact simulation on the GPU and on the CPU engine. Runs under Deno for exact.test.ts. */
import type { Dimensions } from '../../../src/core/world/world';
import { createCpuSimulation } from '../../../src/cpu';
import { type LongScene, longHashes } from '../../../src/verify/golden-long';
import { openDevice } from './device';

export interface ExactQuestion {
  readonly scene: LongScene;
  readonly dimensions: Dimensions;
  readonly count: number;
  /** Numbers of steps after which to take hashes. */
  readonly marks: readonly number[];
}

export interface ExactReport {
  readonly gpu: readonly string[];
  readonly cpu: readonly string[];
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();

export default async ({ scene, dimensions, count, marks }: ExactQuestion): Promise<ExactReport> => {
  const hashesOf = (subject: Parameters<typeof longHashes>[0]) =>
    longHashes(subject, scene, dimensions, count, marks);
  const onGpu = await hashesOf({ gpu });
  const onCpu = await hashesOf({ createCpu: createCpuSimulation });
  return { gpu: onGpu, cpu: onCpu, complaints: complaints.splice(0) };
};
