/**
 * Purpose: runs under Deno for verify.test.ts: compiles every kernel, holds the engine against the reference
 * and repeats a run. Input: what to verify, one after the other. Prints a PortabilityReport as JSON.
 */
import { CellstormError } from '../../../src/core/errors';
import type { Dimensions } from '../../../src/core/world';
import { createSimulation } from '../../../src/engine/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { Kernel } from '../../../src/gpu/kernel';
import { describeKernels } from '../../../src/passes';
import { createScene, sceneOptions } from '../../../src/scenes';
import { type VerifyCase, type VerifyOptions, verify } from '../../../src/verify/verify';

export interface PortabilityReport {
  readonly adapter: string;
  /** Labels of the kernels that compiled, and what was said of the others. */
  readonly compiled: readonly string[];
  readonly refused: readonly string[];
  readonly cases: readonly VerifyCase[];
  /** State hashes of the same run: twice, and with a checkpoint half-way. */
  readonly hashes: readonly string[];
  /** What the device complained about. */
  readonly complaints: readonly string[];
}

declare const Deno: { readonly args: readonly string[] };

const runs = JSON.parse(Deno.args[0] ?? '[]') as VerifyOptions[];
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice({ label: 'portability' });
if (!adapter || !device) throw new Error('Deno has no adapter.');
const complaints: string[] = [];
device.onuncapturederror = ({ error }) => complaints.push(error.message);
const gpu = wrapDevice(device, adapter.info);

const compiled: string[] = [];
const refused: string[] = [];
for (const dimensions of [2, 3] as const) {
  for (const description of describeKernels(dimensions, false)) {
    try {
      await Kernel.compile(gpu, description);
      compiled.push(`${description.label} ${dimensions}D`);
    } catch (error) {
      if (!(error instanceof CellstormError)) throw error;
      refused.push(error.message);
    }
  }
}

const cases: VerifyCase[] = [];
const hashes: string[] = [];
if (refused.length === 0) {
  for (const options of runs) {
    for await (const result of verify({ gpu }, options)) cases.push(result);
  }
  for (const dimensions of [2, 3] as const) {
    for (const restored of [false, false, true]) hashes.push(await hashOfRun(dimensions, restored));
  }
}
device.destroy();

const report: PortabilityReport = {
  adapter: adapter.info.description || adapter.info.vendor,
  compiled,
  refused,
  cases,
  hashes,
  complaints,
};
console.log(JSON.stringify(report));

async function hashOfRun(dimensions: Dimensions, restored: boolean): Promise<string> {
  const scene = createScene('pile', { dimensions, count: 1000 });
  const simulation = await createSimulation(gpu, sceneOptions(scene, { restitution: 0.5 }));
  for (let step = 0; step < 20; step++) {
    simulation.step(1 / 60);
    if (!restored || step !== 9) continue;
    const checkpoint = await simulation.checkpoint();
    simulation.step(1 / 60);
    simulation.restore(checkpoint);
  }
  const { hash } = await simulation.measure();
  simulation.destroy();
  return hash;
}
