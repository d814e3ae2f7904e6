/**
 * Runs under Deno for verify.test.ts: compiles kernels and compares the engine with the reference. The input selects
 * kernels by their index in describeKernels, and lists what to verify, in order. Prints a PortabilityReport as JSON.
 */
import { CellstormError } from '../../../src/core/base/errors';
import type { Dimensions } from '../../../src/core/world/world';
import { wrapDevice } from '../../../src/gpu/device';
import { Kernel } from '../../../src/gpu/kernel';
import { compileShader } from '../../../src/gpu/shader-module';
import { describeKernels } from '../../../src/passes';
import { type VerifyCase, type VerifyOptions, verify } from '../../../src/verify/verify';

export interface PortabilityInput {
  readonly kernels: readonly {
    readonly dimensions: Dimensions;
    /** Indices of the kernels whose shader must compile. */
    readonly shaders: readonly number[];
    /** Indices of the kernels that must also become pipelines. */
    readonly pipelines: readonly number[];
  }[];
  readonly runs: readonly VerifyOptions[];
}

export interface PortabilityReport {
  readonly adapter: string;
  /** Labels of the shaders that compiled without a pipeline, labels of the pipelines, and the errors of all others. */
  readonly accepted: readonly string[];
  readonly compiled: readonly string[];
  readonly refused: readonly string[];
  readonly cases: readonly VerifyCase[];
  /** Errors that the device reported. */
  readonly complaints: readonly string[];
}

declare const Deno: { readonly args: readonly string[] };

const { kernels, runs } = JSON.parse(Deno.args[0] as string) as PortabilityInput;
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter?.requestDevice({ label: 'portability' });
if (!adapter || !device) throw new Error('Deno has no adapter.');
const complaints: string[] = [];
device.onuncapturederror = ({ error }) => complaints.push(error.message);
const gpu = wrapDevice(device, adapter.info);

const accepted: string[] = [];
const compiled: string[] = [];
const refused: string[] = [];

async function attempt(label: string, list: string[], make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
    list.push(label);
  } catch (error) {
    if (!(error instanceof CellstormError)) throw error;
    refused.push(error.message);
  }
}

for (const { dimensions, shaders, pipelines } of kernels) {
  for (const [index, description] of describeKernels(dimensions, false).entries()) {
    const label = `${description.label} ${dimensions}D`;
    if (pipelines.includes(index)) {
      await attempt(label, compiled, () => Kernel.create(gpu, description));
    } else if (shaders.includes(index)) {
      await attempt(label, accepted, () => compileShader(device, description.label, description));
    }
  }
}

const cases: VerifyCase[] = [];
if (refused.length === 0) {
  for (const options of runs) {
    for await (const result of verify({ gpu }, options)) cases.push(result);
  }
}
device.destroy();

const report: PortabilityReport = {
  adapter: adapter.info.description || adapter.info.vendor,
  accepted,
  compiled,
  refused,
  cases,
  complaints,
};
console.log(JSON.stringify(report));
