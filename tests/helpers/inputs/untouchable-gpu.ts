/** A device that throws on any use except of its limits. It shows that code rejects arguments before any GPU work. */
import { expect } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import type { Gpu } from '../../../src/gpu/device';

export const DEFAULT_LIMITS = {
  maxStorageBufferBindingSize: 128 * 2 ** 20,
  maxBufferSize: 256 * 2 ** 20,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
} as const;

export type Limits = { readonly [Name in keyof typeof DEFAULT_LIMITS]?: number };

export function untouchableGpu(limits: Limits = {}): Gpu {
  const device = new Proxy({} as GPUDevice, {
    get(_, name) {
      if (name === 'limits') return { ...DEFAULT_LIMITS, ...limits };
      throw new Error(`The device's ${String(name)} was used.`);
    },
  });
  return {
    device,
    info: undefined,
    timestamps: false,
    workgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension ?? 65_535,
    get sharedLayout(): GPUBindGroupLayout {
      throw new Error('The layout was used.');
    },
    lost: undefined,
    checkAlive: () => undefined,
    destroy: () => undefined,
  };
}

/** Expects an ArgumentError whose message is one sentence that begins with `argument`. */
export async function expectRefusal(
  attempt: Promise<unknown>,
  argument: string,
  value: string,
  accepted: RegExp,
): Promise<void> {
  const error = await attempt.then(
    () => expect.fail(`${argument} was accepted.`),
    (caught: unknown) => caught,
  );
  if (!(error instanceof ArgumentError)) expect.fail(`${argument}: ${error}`);
  expect(error.argument).toBe(argument);
  expect(error.message.startsWith(`${argument} is ${value}, but it must be `)).toBe(true);
  expect(error.message.slice(error.message.indexOf(', but'))).toMatch(accepted);
  expect(error.message.endsWith('.')).toBe(true);
  expect(error.message).not.toMatch(/\.\s+[A-Z]|\n/);
}
