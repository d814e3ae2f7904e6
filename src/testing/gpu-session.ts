/**
 * Runs code on a device. Reports the errors of the device, its loss, and objects that were not destroyed.
 */
import { GpuError } from '../core/base/errors';
import { openWebGpu } from '../node';
import type { DriverPreference } from '../node/drivers';
import { describeError, type ErrorScopes, guardScopes } from './error-scopes';
import { createTools, type GpuTools } from './gpu-tools';
import { describeObject, type LiveObjects, trackObjects } from './live-objects';

/** The body of a test. It gets a device and tools for buffers. */
export type GpuTestBody = (device: GPUDevice, tools: GpuTools) => Promise<void> | void;

/** The device that a test gets. */
export interface DeviceOptions {
  /** Limits to raise above WebGPU's defaults. Default: none. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Features that the device must have. The test fails if the adapter lacks one. Default: none. */
  readonly features?: readonly GPUFeatureName[] | undefined;
  /** Features that the device has if the adapter has them. Default: none. */
  readonly optionalFeatures?: readonly GPUFeatureName[] | undefined;
  /** The driver, as for `openWebGpu`. Default 'auto'; CELLSTORM_DRIVER overrides it. */
  readonly driver?: DriverPreference | undefined;
  /** Returns the entry point of another implementation of WebGPU. Default: Dawn, by `openWebGpu`. */
  readonly gpu?: (() => GPU | Promise<GPU>) | undefined;
}

/** Says whether a test fails if its body leaks GPU objects. */
export interface LeakOptions {
  /**
   * With 'fail', the test fails if its body leaves a buffer, texture or query set that it created and did not destroy.
   * Buffers that the tools created do not count. With 'allow', such objects are destroyed without a message. Default
   * 'fail'.
   */
  readonly leaks?: 'fail' | 'allow' | undefined;
}

export interface Session {
  readonly device: GPUDevice;
  readonly scopes: ErrorScopes;
  /** Messages of errors that the device reported during the test. */
  readonly complaints: string[];
  readonly live: LiveObjects;
}

export async function openSession(options: DeviceOptions): Promise<Session> {
  const { features = [], optionalFeatures = [], limits, driver } = options;
  const gpu = options.gpu ? await options.gpu() : (await openWebGpu({ driver })).gpu;
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new GpuError('no-adapter', 'WebGPU is here but offers no adapter.');
  const missing = features.filter((name) => !adapter.features.has(name));
  if (missing.length > 0) {
    const found = [...adapter.features].sort().join(', ');
    throw new GpuError(
      'unsupported',
      `The adapter lacks ${missing.join(', ')}. It has ${found || 'no features'}.`,
    );
  }
  const device = await adapter.requestDevice({
    label: 'test',
    requiredFeatures: [
      ...new Set([...features, ...optionalFeatures.filter((name) => adapter.features.has(name))]),
    ],
    requiredLimits: { ...limits },
  });
  const complaints: string[] = [];
  device.onuncapturederror = ({ error }) => complaints.push(describeError('uncaptured', error));
  device.lost.then(
    ({ reason, message }) => reason !== 'destroyed' && complaints.push(`device lost (${reason}): ${message}`),
  );
  return { device, scopes: guardScopes(device), complaints, live: trackObjects(device) };
}

/**
 * Runs `body`. Throws the first of these that exists: the error of `body`, an error with what the device reported, an
 * error about leaks.
 */
export async function runIn(session: Session, body: GpuTestBody, { leaks }: LeakOptions): Promise<void> {
  const { device, scopes, complaints, live } = session;
  complaints.length = 0;
  const own = new WeakSet<object>();
  scopes.begin();
  let thrown: { readonly error: unknown } | undefined;
  try {
    await body(device, createTools(device, live, own));
    await device.queue.onSubmittedWorkDone();
  } catch (error) {
    thrown = { error };
  }
  complaints.push(...(await scopes.end()));
  const leaked = [...live].filter(([object]) => !own.has(object)).map(([, description]) => description);
  for (const object of [...live.values()]) object.destroy();
  if (thrown !== undefined) {
    if (complaints.length > 0 && thrown.error instanceof Error) {
      const value = `${thrown.error.message}\nThe GPU also reported:\n${complaints.join('\n')}`;
      // Assigning fails for a DOMException, such as the error of popErrorScope.
      Object.defineProperty(thrown.error, 'message', { value, configurable: true, writable: true });
    }
    throw thrown.error;
  }
  if (complaints.length > 0) throw new Error(`The GPU reported:\n${complaints.join('\n')}`);
  if (leaked.length > 0 && leaks !== 'allow') {
    throw new Error(
      `The test left objects that it did not destroy; destroy them, or pass leaks: 'allow':\n${leaked.map(describeObject).join('\n')}`,
    );
  }
}
