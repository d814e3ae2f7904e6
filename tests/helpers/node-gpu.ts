/**
 * Runs GPU tests in Node. Each test gets its own device or the shared one, inside validation, out-of-memory and
 * internal error scopes. Its buffers are tracked and destroyed. Without an adapter the tests fail, unless
 * CELLSTORM_ALLOW_NO_GPU=1 is set.
 */
import { expect, test } from 'vitest';
import { type Gpu, wrapDevice } from '../../src/gpu/device';
import { type Dawn, openDawn } from '../../src/node/dawn';
import { allowsNoGpu, testPreference } from '../../src/testing/environment';
import type { TIERS } from './tiers';

export interface DeviceOptions {
  /** Limits to raise above WebGPU's defaults. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Optional features to switch off. timestamp-query and subgroups are on if the adapter has them. */
  readonly without?: readonly GPUFeatureName[] | undefined;
  /**
   * Uses one device for all tests of the process that ask for it, so that kernels are compiled only once. Not allowed
   * together with the options above.
   */
  readonly shared?: boolean | undefined;
  /**
   * Uses a device without a driver. It validates shaders, layouts and pipelines, but runs nothing. A software GPU needs
   * many times as long per pipeline, because it generates machine code.
   */
  readonly driverless?: boolean | undefined;
}

export interface GpuTestOptions extends DeviceOptions {
  readonly timeoutMs?: number | undefined;
  /** The only tier that runs the test. Default: both. */
  readonly tags?: keyof typeof TIERS | undefined;
}

export const SHARED = { shared: true } as const satisfies GpuTestOptions;

/** The same for one of many similar cases. */
export const SHARED_CASE = { shared: true, tags: 'case' } as const satisfies GpuTestOptions;

export interface GpuTools {
  /** Returns the engine's handle, one per value. `workgroupsPerDimension` replaces the device's limit. */
  wrap(workgroupsPerDimension?: number): Gpu;
  /** Creates a buffer with this content, at least 16 bytes long. The default usage is storage and copies. */
  upload(label: string, data: ArrayBufferView, usage?: number): GPUBuffer;
  /** Creates a zeroed buffer, at least 16 bytes long. The default usage is storage and copies. */
  allocate(label: string, bytes: number, usage?: number): GPUBuffer;
  /** Reads the content of a buffer after everything submitted so far. */
  read(buffer: GPUBuffer, offset?: number, bytes?: number): Promise<ArrayBuffer>;
  /** Returns the labels of the buffers that were created on the device and not destroyed. */
  liveBuffers(): string[];
}

export type GpuTestBody = (device: GPUDevice, tools: GpuTools) => Promise<void> | void;

const SCOPES = ['internal', 'out-of-memory', 'validation'] as const;
const OPTIONAL_FEATURES = ['timestamp-query', 'subgroups'] as const;
/** STORAGE | COPY_SRC | COPY_DST */
const DATA_USAGE = 0x80 | 0x04 | 0x08;
const MISMATCHES_SHOWN = 10;

const opened: Dawn | Error = await openDawn({ driver: testPreference() }).catch((error: Error) => error);

export const adapterName = opened instanceof Error ? 'none' : opened.driver;

export function gpuTest(name: string, body: GpuTestBody, options: GpuTestOptions = {}): void {
  const run = opened instanceof Error && allowsNoGpu() ? test.skip : test;
  const { tags = [], timeoutMs, ...device } = options;
  const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  run(name, { ...limit, tags }, async () => withDevice(body, device));
}

/** Runs `body` on a device. Throws the error of `body`, or else the errors that the GPU reported meanwhile. */
export async function withDevice(body: GpuTestBody, options: DeviceOptions = {}): Promise<void> {
  if (!options.shared) {
    const session = await openSession(options);
    await runIn(session, body).finally(() => session.device.destroy());
    return;
  }
  if (options.limits || options.without || options.driverless) {
    throw new Error('A shared device has the default options.');
  }
  shared ??= openShared();
  await runIn(await shared, body);
}

/** A device, the errors that it reported during the test, and its live buffers. */
interface Session {
  readonly device: GPUDevice;
  readonly complaints: string[];
  readonly live: Set<GPUBuffer>;
  readonly wrapped: Map<number | undefined, Gpu>;
}

let shared: Promise<Session> | undefined;

async function openShared(): Promise<Session> {
  const session = await openSession({});
  // Only the test that lost the device fails; the next one opens a new device.
  session.device.lost.then(() => {
    shared = undefined;
  });
  return session;
}

let driverless: GPU | undefined;

/** Never released: Dawn crashes when its GPU object is collected while anything uses it. */
async function openDriverless(): Promise<GPU> {
  const { create } = await import('webgpu');
  driverless ??= create(['backend=null']);
  return driverless;
}

async function openSession(options: DeviceOptions): Promise<Session> {
  if (opened instanceof Error) throw opened;
  const gpu = options.driverless ? await openDriverless() : opened.gpu;
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('The adapter is gone.');
  const features = OPTIONAL_FEATURES.filter(
    (name) => adapter.features.has(name) && !options.without?.includes(name),
  );
  const device = await adapter.requestDevice({
    label: 'test',
    requiredFeatures: features,
    requiredLimits: { ...options.limits },
  });
  const complaints: string[] = [];
  device.onuncapturederror = ({ error }) => complaints.push(describeError('uncaptured', error));
  device.lost.then(
    ({ reason, message }) => reason !== 'destroyed' && complaints.push(`device lost (${reason}): ${message}`),
  );
  return { device, complaints, live: trackBuffers(device), wrapped: new Map() };
}

async function runIn(session: Session, body: GpuTestBody): Promise<void> {
  const { device, complaints, live } = session;
  complaints.length = 0;
  for (const scope of SCOPES) device.pushErrorScope(scope);
  let thrown: { readonly error: unknown } | undefined;
  try {
    await body(device, createTools(session));
    await device.queue.onSubmittedWorkDone();
  } catch (error) {
    thrown = { error };
  }
  for (const scope of SCOPES.toReversed()) {
    const error = await device.popErrorScope().catch(() => null);
    if (error !== null) complaints.push(describeError(scope, error));
  }
  for (const buffer of [...live]) buffer.destroy();
  if (thrown !== undefined) {
    if (complaints.length > 0 && thrown.error instanceof Error) {
      thrown.error.message += `\nThe GPU also reported:\n${complaints.join('\n')}`;
    }
    throw thrown.error;
  }
  if (complaints.length > 0) throw new Error(`The GPU reported:\n${complaints.join('\n')}`);
}

/** Expects the same length and the same values, compared by Object.is: −0 differs from 0, and NaN equals NaN. */
export function expectArraysEqual<T extends number | bigint>(
  got: ArrayLike<T>,
  expected: ArrayLike<T>,
  label: string,
): void {
  compare(got, expected, label, 'differ', Object.is);
}

/** Expects the same length, and values at most `bound` apart. */
export function expectArraysWithin(
  got: ArrayLike<number>,
  expected: ArrayLike<number>,
  bound: number,
  label: string,
): void {
  compare(got, expected, label, `are more than ${bound} apart`, (a, b) => Math.abs(a - b) <= bound);
}

function compare<T>(
  got: ArrayLike<T>,
  expected: ArrayLike<T>,
  label: string,
  complaint: string,
  agree: (got: T, expected: T) => boolean,
): void {
  const rows: string[][] = [];
  let mismatches = 0;
  for (let index = 0; index < Math.min(got.length, expected.length); index++) {
    const pair = [got[index] as T, expected[index] as T] as const;
    if (agree(...pair)) continue;
    mismatches++;
    if (mismatches <= MISMATCHES_SHOWN) rows.push([index, ...pair].map(formatValue));
  }
  if (got.length !== expected.length) {
    expect.fail(
      `${label}: ${got.length} values instead of ${expected.length}; ${mismatches} of the shared ones ${complaint}.${formatTable(rows)}`,
    );
  }
  if (mismatches > 0) {
    expect.fail(`${label}: ${mismatches} of ${got.length} values ${complaint}.${formatTable(rows)}`);
  }
}

function formatValue(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function formatTable(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const table = [['index', 'got', 'expected'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) => `\n  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`)
    .join('');
}

function describeError(scope: string, error: GPUError): string {
  return `${scope} error: ${error.message}`;
}

function trackBuffers(device: GPUDevice): Set<GPUBuffer> {
  const live = new Set<GPUBuffer>();
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy();
    };
    live.add(buffer);
    return buffer;
  };
  return live;
}

function createTools({ device, live, wrapped }: Session): GpuTools {
  const allocate = (label: string, bytes: number, usage = DATA_USAGE): GPUBuffer =>
    device.createBuffer({ label, size: Math.max(16, Math.ceil(bytes / 4) * 4), usage });
  return {
    allocate,
    wrap(workgroupsPerDimension) {
      const gpu =
        wrapped.get(workgroupsPerDimension) ?? wrapDevice(device, undefined, workgroupsPerDimension);
      wrapped.set(workgroupsPerDimension, gpu);
      return gpu;
    },
    upload(label, data, usage) {
      const buffer = allocate(label, data.byteLength, usage);
      const padded = new Uint8Array(Math.ceil(data.byteLength / 4) * 4);
      padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      device.queue.writeBuffer(buffer, 0, padded);
      return buffer;
    },
    async read(buffer, offset = 0, bytes = buffer.size - offset) {
      if (bytes === 0) return new ArrayBuffer(0);
      // COPY_DST | MAP_READ
      const staging = device.createBuffer({ label: 'test.read', size: bytes, usage: 0x08 | 0x01 });
      const encoder = device.createCommandEncoder({ label: 'test.read' });
      encoder.copyBufferToBuffer(buffer, offset, staging, 0, bytes);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(1);
      const copy = staging.getMappedRange().slice(0);
      staging.destroy();
      return copy;
    },
    liveBuffers: () => [...live].map((buffer) => buffer.label),
  };
}
