/**
 * Defines GPU tests in Node, with the kit in src/testing. Without an adapter the tests fail, unless
 * CELLSTORM_ALLOW_NO_GPU=1 is set. They allow leaks, because most of them do not destroy what they create.
 */
import { test } from 'vitest';
import { type Gpu, wrapDevice } from '../../src/gpu/device';
import { type Dawn, openDawn } from '../../src/node/dawn';
import { expectArraysEqual, expectArraysWithin } from '../../src/testing/arrays';
import { allowsNoGpu, testPreference } from '../../src/testing/environment';
import type { DeviceOptions as KitOptions } from '../../src/testing/gpu-session';
import { createGpuTest } from '../../src/testing/gpu-test';
import type { GpuTools as KitTools } from '../../src/testing/gpu-tools';
import type { TIERS } from './tiers';

export { expectArraysEqual, expectArraysWithin };

export interface DeviceOptions {
  /** Limits to raise above WebGPU's defaults. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Optional features to switch off. timestamp-query and subgroups are on if the adapter has them. */
  readonly without?: readonly GPUFeatureName[] | undefined;
  /** Shares one device among all tests of the process that set this. Not allowed together with other device options. */
  readonly shared?: boolean | undefined;
  /** Uses a device that validates but runs nothing. It creates pipelines much faster than a software GPU. */
  readonly driverless?: boolean | undefined;
}

export interface GpuTestOptions extends DeviceOptions {
  readonly timeoutMs?: number | undefined;
  /** A tag of tests/helpers/tiers.ts. Default: both tiers run the test. */
  readonly tags?: keyof typeof TIERS | undefined;
}

/** Describes a hardware GPU, so that kernels get the shape for GPUs and not that for software adapters. */
export const HARDWARE = { vendor: 'test', isFallbackAdapter: false } as GPUAdapterInfo;

export const SHARED = { shared: true } as const satisfies GpuTestOptions;

export const SHARED_CASE = { shared: true, tags: 'case' } as const satisfies GpuTestOptions;

export interface GpuTools extends KitTools {
  /**
   * Returns the engine's handle of the device. Equal arguments give the same handle. `workgroupsPerDimension` replaces
   * the device's limit.
   */
  wrap(workgroupsPerDimension?: number): Gpu;
}

export type GpuTestBody = (device: GPUDevice, tools: GpuTools) => Promise<void> | void;

const OPTIONAL_FEATURES = ['timestamp-query', 'subgroups'] as const;

const opened: Dawn | Error = await openDawn({ driver: testPreference() }).catch((error: Error) => error);

export const adapterName = opened instanceof Error ? 'none' : opened.driver;

// With `undefined`, the time limit of the vitest project holds.
const kit = createGpuTest(test, {
  driver: testPreference(),
  optionalFeatures: OPTIONAL_FEATURES,
  leaks: 'allow',
  timeout: undefined,
});

export function gpuTest(name: string, body: GpuTestBody, options: GpuTestOptions = {}): void {
  const { tags = [], timeoutMs: timeout, ...device } = options;
  const skip = opened instanceof Error && allowsNoGpu();
  kit(name, { ...kitOptions(device), timeout, skip, tags }, withWrap(body));
}

/** Runs `body` on a device. Throws the error of `body`, or else the errors that the GPU reported meanwhile. */
export function withDevice(body: GpuTestBody, options: DeviceOptions = {}): Promise<void> {
  return kit.withDevice(withWrap(body), kitOptions(options));
}

function kitOptions({
  limits,
  without,
  shared,
  driverless,
}: DeviceOptions): KitOptions & { shared?: boolean } {
  return {
    ...(limits && { limits }),
    ...(without && { optionalFeatures: OPTIONAL_FEATURES.filter((name) => !without.includes(name)) }),
    ...(driverless && { gpu: openDriverless }),
    ...(shared && { shared }),
  };
}

const handles = new WeakMap<GPUDevice, Map<number | undefined, Gpu>>();

function withWrap(body: GpuTestBody) {
  return (device: GPUDevice, tools: KitTools) => {
    const known = handles.get(device) ?? new Map<number | undefined, Gpu>();
    handles.set(device, known);
    const wrap = (workgroups?: number): Gpu => {
      const gpu = known.get(workgroups) ?? wrapDevice(device, undefined, workgroups);
      known.set(workgroups, gpu);
      return gpu;
    };
    return body(device, { ...tools, wrap });
  };
}

let driverless: GPU | undefined;

/** Opens a GPU without a driver. Never releases it: Dawn crashes if its GPU object is collected while in use. */
async function openDriverless(): Promise<GPU> {
  const { create } = await import('webgpu');
  driverless ??= create(['backend=null']);
  return driverless;
}
