/** Tests that get a WebGPU device, for vitest and node:test. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { checkBooleans, checkFunction, checkKnownKeys } from '../core/base/checks';
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
   * Whether the test shares one device with the other tests that have this option, so that pipelines are compiled only
   * once. The device has the options that `createGpuTest` got, so such a test must not name any device options.
   * Concurrent tests wait for each other, which counts towards their timeouts. Default false.
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
  /** Runs a body as a GPU test does, but outside of a test. Rejects if a test with this body would fail. */
  withDevice(
    body: GpuTestBody,
    options?: DeviceOptions & LeakOptions & Pick<GpuTestOptions, 'shared'>,
  ): Promise<void>;
}

const TIMEOUT_MS = 60_000;
/** The longest delay of a timer. With a longer one, the timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
const DEVICE_OPTIONS = ['limits', 'features', 'optionalFeatures', 'driver', 'gpu'] as const;
const OWN_OPTIONS: readonly string[] = [...DEVICE_OPTIONS, 'leaks', 'shared'];
const OPTIONS: readonly string[] = [
  ...OWN_OPTIONS,
  ...['timeout', 'skip', 'only', 'todo', 'retry', 'tags'],
  // Further options of vitest, then of node:test.
  ...['repeats', 'fails', 'concurrent', 'sequential', 'meta'],
  ...['concurrency', 'signal', 'plan', 'expectFailure'],
];

/**
 * Returns a function like `test` whose tests get a WebGPU device. A test fails if its body does, if the device reports
 * an error or is lost, or if the body leaves buffers, textures or query sets that it did not destroy. `defaults` apply
 * to all tests of the function. Needs the npm package `webgpu`, unless the option `gpu` is given.
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
  checkOptions('defaults', defaults, OPTIONS);
  let shared: Promise<Session> | undefined;
  const openShared = (): Promise<Session> => {
    const opening = openSession(defaults);
    const forget = () => {
      if (shared === opening) shared = undefined;
    };
    // Only the test that lost the device fails; the next one opens a new device.
    opening.then(({ device }) => device.lost.then(forget), forget);
    return opening;
  };
  const isInside = new AsyncLocalStorage<boolean>();
  let turn: Promise<unknown> = Promise.resolve();
  /** Runs bodies one after another, because the end of each body destroys all objects of the device. */
  const runShared = async (body: GpuTestBody, given: GpuTestOptions): Promise<void> => {
    if (isInside.getStore()) {
      throw new ArgumentError('options.shared', true, 'left out inside a body on the shared device');
    }
    const run = turn.then(async () => {
      shared ??= openShared();
      const session = await shared;
      await isInside.run(true, () => runIn(session, body, given));
    });
    // If this body hangs, the next body waits only until the timeout, then gets a new device.
    turn = turn.then(() => settled(run, given.timeout || TIMEOUT_MS, () => (shared = undefined)));
    await run;
  };
  const runBody = async (body: GpuTestBody, options: GpuTestOptions): Promise<void> => {
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
    await runShared(body, given);
  };
  const gpuTest = (
    name: string,
    ...rest: [GpuTestBody] | [GpuTestOptions | undefined, GpuTestBody]
  ): void => {
    const [options = {}, body] = rest.length === 1 ? [undefined, rest[0]] : rest;
    checkFunction('body', body);
    checkOptions('options', options, OPTIONS);
    const runner = Object.entries({ timeout: TIMEOUT_MS, ...defaults, ...options }).filter(
      ([key, value]) => value !== undefined && !OWN_OPTIONS.includes(key),
    );
    test(name, Object.fromEntries(runner), () => runBody(body, options));
  };
  const withDevice: GpuTest['withDevice'] = async (body, options = {}) => {
    checkFunction('body', body);
    checkOptions('options', options, OWN_OPTIONS);
    await runBody(body, options);
  };
  return Object.assign(gpuTest, { withDevice });
}

function checkOptions(argument: string, options: GpuTestOptions, known: readonly string[]): void {
  checkKnownKeys(argument, options, known);
  const { leaks = 'fail', shared = false } = options;
  if (leaks !== 'fail' && leaks !== 'allow') throw new ArgumentError('leaks', leaks, "'fail' or 'allow'");
  checkBooleans({ shared });
}

/** Waits until `run` ends or `limitMs` pass. Calls `onLimit` in the second case. */
function settled(run: Promise<void>, limitMs: number, onLimit: () => void): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(
      () => {
        onLimit();
        done();
      },
      Math.min(limitMs, LONGEST_MS),
    );
    const end = () => {
      clearTimeout(timer);
      done();
    };
    run.then(end, end);
  });
}
