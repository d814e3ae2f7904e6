/** Tests that get a WebGPU device, for vitest and node:test. */
import { checkFunction } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import {
  type DeviceOptions,
  type GpuTestBody,
  type LeakOptions,
  openSession,
  runIn,
  type Session,
} from './gpu-session';

/**
 * Options that `gpuTest` passes on to the test runner. vitest understands all of them, node:test all but the last two.
 */
export interface RunnerOptions {
  /** Milliseconds until the test fails. Default 60,000, because a software GPU is slow. */
  readonly timeout?: number | undefined;
  /** Whether to leave the test out. Default false. */
  readonly skip?: boolean | undefined;
  /** Whether to run only this test. Default false. */
  readonly only?: boolean | undefined;
  /** Whether the test is still to be written. Default false. */
  readonly todo?: boolean | undefined;
  /** How often vitest tries a failed test again. Default 0. */
  readonly retry?: number | undefined;
  /** vitest's tags. Default: none. */
  readonly tags?: string | string[] | undefined;
}

/** Options of a GPU test: its device, its leaks, and options of the test runner. */
export interface GpuTestOptions extends DeviceOptions, LeakOptions, RunnerOptions {
  /**
   * Whether the test shares one device with the other tests that ask for it, so that pipelines are compiled only once.
   * The device has the options that `createGpuTest` got, so such a test must not name any device options. Default
   * false.
   */
  readonly shared?: boolean | undefined;
}

/** The `test` function of a test runner. */
export type TestFunction = (
  name: string,
  options: { timeout?: number; skip?: boolean; only?: boolean; todo?: boolean },
  body: () => Promise<void>,
) => unknown;

/** Registers a test whose body gets a device and tools for buffers. */
export interface GpuTest {
  /** Registers a test with the default options. */
  (name: string, body: GpuTestBody): void;
  /** Registers a test with options of its own. */
  (name: string, options: GpuTestOptions, body: GpuTestBody): void;
  /** Runs a body as a test does, but outside of one. Rejects if such a test would fail. */
  withDevice(
    body: GpuTestBody,
    options?: DeviceOptions & LeakOptions & Pick<GpuTestOptions, 'shared'>,
  ): Promise<void>;
}

const TIMEOUT_MS = 60_000;
const DEVICE_OPTIONS = ['limits', 'features', 'optionalFeatures', 'driver', 'gpu'] as const;
const OWN_OPTIONS: readonly string[] = [...DEVICE_OPTIONS, 'leaks', 'shared'];

/**
 * Returns a function like `test` whose tests get a WebGPU device. A test fails if its body does, if the device reports
 * an error or is lost, or if the body leaves buffers, textures or query sets that it did not destroy. `defaults` apply
 * to all tests of the function. Needs the npm package `webgpu`.
 *
 * @example
 * ```ts
 * import { createGpuTest } from 'cellstorm/testing';
 * import { test } from 'vitest'; // or: from 'node:test'
 *
 * const gpuTest = createGpuTest(test);
 *
 * gpuTest('copies', async (device, { upload, allocate, expectBuffer }) => {
 *   const from = upload('from', Float32Array.of(1, 2, 3));
 *   const to = allocate('to', 12);
 *   const encoder = device.createCommandEncoder();
 *   encoder.copyBufferToBuffer(from, 0, to, 0, 12);
 *   device.queue.submit([encoder.finish()]);
 *   await expectBuffer(to).toEqual(Float32Array.of(1, 2, 3));
 * });
 * ```
 */
export function createGpuTest(test: TestFunction, defaults: GpuTestOptions = {}): GpuTest {
  checkFunction('test', test);
  let shared: Promise<Session> | undefined;
  const openShared = async (): Promise<Session> => {
    const session = await openSession(defaults);
    // Only the test that lost the device fails; the next one opens a new device.
    session.device.lost.then(() => {
      shared = undefined;
    });
    return session;
  };
  const withDevice: GpuTest['withDevice'] = async (body, options = {}) => {
    const given = { ...defaults, ...options };
    if (!given.shared) {
      const session = await openSession(given);
      await runIn(session, body, given).finally(() => session.device.destroy());
      return;
    }
    for (const name of DEVICE_OPTIONS) {
      if (options[name] === undefined) continue;
      throw new ArgumentError(
        `options.${name}`,
        options[name],
        'left out: a shared device has the default options',
      );
    }
    shared ??= openShared().catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    await runIn(await shared, body, given);
  };
  const gpuTest = (name: string, ...rest: [GpuTestBody] | [GpuTestOptions, GpuTestBody]): void => {
    const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
    checkFunction('body', body);
    const runner = Object.entries({ timeout: TIMEOUT_MS, ...defaults, ...options }).filter(
      ([key, value]) => value !== undefined && !OWN_OPTIONS.includes(key),
    );
    test(name, Object.fromEntries(runner), () => withDevice(body, options));
  };
  return Object.assign(gpuTest, { withDevice });
}
