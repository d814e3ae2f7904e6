/** Requests an adapter and a device. Raises limits only as far as the particles, the cells and the caller need. */
import { checkDimensions, checkInteger, checkKnownKeys, checkList } from '../core/base/checks';
import { MEASURE_WORKGROUP_SIZE, WORKGROUP_SIZE } from '../core/base/constants';
import { ArgumentError, CellstormError, GpuError, LimitError, Phrase } from '../core/base/errors';
import { defaultCellCount } from '../core/simulation/default-box';
import { MAX_PARTICLES } from '../core/simulation/ids';
import { type Dimensions, MAX_CELLS } from '../core/world/world';
import { storedFloats } from './layout';

/** Describes what a device must hold. */
export interface GpuRequest {
  /** Largest number of particles per simulation or grid, from 0 to 2³¹ − 1. */
  readonly particles: number;
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Number of cells of the world. Default: the number in createSimulation's default box. */
  readonly cells?: number | undefined;
  /** The entry point of WebGPU. Default: `navigator.gpu`. */
  readonly gpu?: GPU | undefined;
  /** Passed to `requestAdapter`. Default: none. */
  readonly powerPreference?: GPUPowerPreference | undefined;
  /** Features that your own code needs of the device. Default: none. */
  readonly requiredFeatures?: readonly GPUFeatureName[] | undefined;
  /** Limits that your own code needs of the device, by name. The device gets at least these. Default: none. */
  readonly requiredLimits?: Readonly<Record<string, number | undefined>> | undefined;
}

/** A WebGPU device for cellstorm. */
export interface Gpu {
  /** The device. */
  readonly device: GPUDevice;
  /** The adapter's vendor, architecture and so on, if known. */
  readonly info: GPUAdapterInfo | undefined;
  /** True if the device has the feature `timestamp-query`. */
  readonly timestamps: boolean;
  /** Limits of the adapter, if known. You can request a new device with limits up to these. */
  readonly adapterLimits?: GPUSupportedLimits | undefined;
  /** The most workgroups per dimension of a dispatch. Default: the device's limit. */
  readonly workgroupsPerDimension: number;
  /** The layout of bind group 0, which kernels share. */
  readonly sharedLayout: GPUBindGroupLayout;
  /** Set once the device is lost. */
  readonly lost:
    | {
        /** Why the device is lost, in words. */
        reason: string;
      }
    | undefined;
  /** Throws a GpuError if the device is lost. */
  checkAlive(): void;
  /** Destroys the device, with everything created on it. */
  destroy(): void;
}

export function largestBuffer(particles: number, cells: number, dimensions: Dimensions): number {
  return Math.max(particles * perParticleBytes(dimensions), (cells + 8) * 4, 256);
}

function perParticleBytes(dimensions: Dimensions): number {
  return 4 * Math.max(2, storedFloats(dimensions));
}

/** The most particles that a device holds, and what limits them. */
export interface GreatestCount {
  /** Number of particles. */
  readonly particles: number;
  /** The tightest limit, by its name in `GPUSupportedLimits`. */
  readonly limit: string;
  /** The buffer that reaches this limit first. */
  readonly buffer: 'particles' | 'cells';
}

/** Returns the greatest number of particles that a device's limits allow in the default box. */
export function greatestCount(limits: GPUSupportedLimits, dimensions: Dimensions): GreatestCount {
  checkDimensions(dimensions);
  for (const name of [
    'maxStorageBufferBindingSize',
    'maxBufferSize',
    'maxComputeWorkgroupsPerDimension',
  ] as const) {
    checkInteger(`limits.${name}`, limits?.[name], 0, Number.MAX_SAFE_INTEGER);
  }
  const names = ['maxStorageBufferBindingSize', 'maxBufferSize'] as const;
  const limit = limits[names[0]] <= limits[names[1]] ? names[0] : names[1];
  const threads = limits.maxComputeWorkgroupsPerDimension ** 2 * WORKGROUP_SIZE;
  const fits = (particles: number) => {
    const cells = defaultCellCount(dimensions, particles);
    return cells <= MAX_CELLS && largestBuffer(particles, cells, dimensions) <= limits[limit];
  };
  let low = 0;
  let high = Math.min(threads, MAX_PARTICLES) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  if (low === threads)
    return { particles: low, limit: 'maxComputeWorkgroupsPerDimension', buffer: 'particles' };
  const cells = 4 * defaultCellCount(dimensions, low);
  const buffer = cells > low * perParticleBytes(dimensions) ? 'cells' : 'particles';
  return { particles: low, limit, buffer };
}

const REQUEST_NAMES = [
  'particles',
  'dimensions',
  'cells',
  'gpu',
  'powerPreference',
  'requiredFeatures',
  'requiredLimits',
] as const satisfies readonly (keyof GpuRequest)[];

/**
 * Requests a device that holds the given numbers of particles and cells. Uses `timestamp-query` if the adapter has it.
 *
 * @example
 * const gpu = await requestGpu({ particles: 10_000, dimensions: 2 });
 * const simulation = await createSimulation(gpu, { dimensions: 2, capacity: 10_000, radius: 0.5 });
 * simulation.step(1 / 60);
 */
export async function requestGpu(request: GpuRequest): Promise<Gpu> {
  checkKnownKeys('request', request, REQUEST_NAMES);
  const { particles, dimensions } = request;
  checkDimensions(dimensions);
  checkInteger('particles', particles, 0, MAX_PARTICLES);
  const cells = request.cells ?? defaultCellCount(dimensions, particles);
  if (request.cells !== undefined) checkInteger('cells', cells, 0, MAX_CELLS);
  const { requiredFeatures = [], requiredLimits: ownLimits = {} } = request;
  const features = checkList('requiredFeatures', requiredFeatures, 99, 'names of features');
  if (typeof ownLimits !== 'object' || ownLimits === null)
    throw new ArgumentError('requiredLimits', ownLimits, 'an object');
  const provider = request.gpu ?? globalThis.navigator?.gpu;
  if (!provider) throw missingGpu();
  if (typeof provider.requestAdapter !== 'function') {
    throw new ArgumentError(
      'request.gpu',
      nameWebGpu(request.gpu),
      'an entry point of WebGPU, such as navigator.gpu',
    );
  }
  const { powerPreference } = request;
  let adapter: GPUAdapter | null;
  try {
    adapter = await provider.requestAdapter(powerPreference ? { powerPreference } : {});
  } catch (error) {
    throw new GpuError('no-adapter', `WebGPU gave no adapter: ${messageOf(error)}`);
  }
  if (!adapter) {
    throw new GpuError(
      'no-adapter',
      'WebGPU is here but offers no adapter: the graphics driver may be missing, too old or blocked.',
    );
  }
  const bytes = largestBuffer(particles, cells, dimensions);
  const requiredLimits: Record<string, number> = {};
  for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
    if (adapter.limits[name] < bytes) {
      const fit = greatestCount(adapter.limits, dimensions);
      throw new LimitError(
        name,
        `${particles} particles in ${cells} cells need a buffer of ${bytes} bytes, but this device's ${name} is ${adapter.limits[name]}: at most ${fit.particles} particles in the default box fit, or any number up to ${Math.floor(adapter.limits[name] / perParticleBytes(dimensions))} in at most ${Math.floor(adapter.limits[name] / 4) - 8} cells.`,
        // Scale particles and cells alike, because larger scenes have larger boxes.
        Math.floor((particles * adapter.limits[name]) / bytes),
      );
    }
    // Every device guarantees the default limits, so never request less.
    requiredLimits[name] = Math.max(bytes, DEFAULT_LIMITS[name], ownLimits[name] ?? 0);
  }
  checkOffered(adapter, features, ownLimits);
  const optional = (['timestamp-query'] as const).filter((name) => adapter.features.has(name));
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({
      label: 'cellstorm',
      requiredFeatures: [...new Set([...optional, ...features])],
      requiredLimits: { ...ownLimits, ...requiredLimits },
    });
  } catch (error) {
    throw new GpuError('validation', `The adapter gave no device: ${messageOf(error)}`);
  }
  return wrap(device, adapter.info, undefined, adapter.limits);
}

function checkOffered(
  adapter: GPUAdapter,
  features: readonly GPUFeatureName[],
  limits: Readonly<Record<string, number | undefined>>,
): void {
  for (const feature of features) {
    if (adapter.features.has(feature)) continue;
    const offered = [...adapter.features].join(', ');
    throw new ArgumentError('requiredFeatures', feature, `one of ${offered}, which this adapter has`);
  }
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const argument = `requiredLimits.${name}`;
    const offered: unknown = adapter.limits[name as keyof GPUSupportedLimits];
    if (typeof offered !== 'number') throw new ArgumentError(argument, value, 'left out: it is no limit');
    // An adapter that offers an alignment accepts higher powers of two, too.
    const range = name.endsWith('Alignment') ? ([offered, 2 ** 31] as const) : ([0, offered] as const);
    checkInteger(argument, value, ...range);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Wraps your own device, so that cellstorm and other code can share it.
 *
 * cellstorm needs no optional feature, but times stages by timestamp-query if the device has it. It needs the default
 * limits of WebGPU, among them maxStorageBuffersPerShaderStage 8, maxComputeInvocationsPerWorkgroup 256 and
 * maxComputeWorkgroupStorageSize 16384. Many particles need a higher maxBufferSize and maxStorageBufferBindingSize:
 * each object checks both when it is created, and its LimitError says what to request.
 *
 * The device stays yours: destroy it yourself, or call `destroy` of the result. Objects free only their own buffers.
 * cellstorm recognises software adapters by `info`, the adapter's info; default: the device's. Tests can set
 * `workgroupsPerDimension` to a lower limit than the device's.
 *
 * @example
 * ```ts
 * const adapter = await navigator.gpu.requestAdapter();
 * if (!adapter) throw new Error('There is no WebGPU here.');
 * const gpu = wrapDevice(await adapter.requestDevice());
 * const simulation = await createSimulation(gpu, { dimensions: 2, capacity: 10_000, radius: 0.5 });
 * ```
 */
export function wrapDevice(device: GPUDevice, info?: GPUAdapterInfo, workgroupsPerDimension?: number): Gpu {
  return wrap(device, info, workgroupsPerDimension);
}

function wrap(
  device: GPUDevice,
  info?: GPUAdapterInfo,
  workgroupsPerDimension?: number,
  adapterLimits?: GPUSupportedLimits,
): Gpu {
  if (typeof (device as GPUDevice | undefined | null)?.createBindGroupLayout !== 'function') {
    throw new ArgumentError('device', nameWebGpu(device), 'a GPUDevice');
  }
  let lost: { reason: string } | undefined;
  device.lost.then(
    (loss) => {
      lost = {
        reason: loss.reason === 'destroyed' ? 'it was destroyed' : loss.message || 'for an unknown reason',
      };
    },
    () => undefined,
  );
  return {
    device,
    info: info ?? (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo,
    timestamps: device.features.has('timestamp-query'),
    adapterLimits,
    workgroupsPerDimension: workgroupsPerDimension ?? device.limits.maxComputeWorkgroupsPerDimension,
    sharedLayout: sharedGroupLayout(device),
    get lost() {
      return lost;
    },
    checkAlive() {
      if (lost) {
        throw new GpuError(
          'lost',
          `The GPU device is lost (${lost.reason}); request a new one and restore a checkpoint.`,
        );
      }
    },
    destroy() {
      lost ??= { reason: 'it was destroyed' };
      device.destroy();
    },
  };
}

function sharedGroupLayout(device: GPUDevice): GPUBindGroupLayout {
  const uniform = { type: 'uniform', hasDynamicOffset: true } as const;
  return device.createBindGroupLayout({
    label: 'shared.layout',
    entries: [0, 1].map((binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: uniform })),
  });
}

export function checkDeviceHolds(gpu: Gpu, particles: number, cells: number, dimensions: Dimensions): void {
  const bytes = largestBuffer(particles, cells, dimensions);
  const { limits } = gpu.device;
  for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
    if (limits[name] < bytes) {
      throw new LimitError(
        name,
        `${particles} particles in ${cells} cells need a buffer of ${bytes} bytes, but this device was requested with a ${name} of ${limits[name]}; request it with particles: ${particles}, cells: ${cells}.`,
        Math.floor((particles * limits[name]) / bytes),
      );
    }
  }
  const workgroups = Math.ceil(particles / WORKGROUP_SIZE);
  const most = gpu.workgroupsPerDimension ** 2;
  if (workgroups > most) {
    throw new LimitError(
      'maxComputeWorkgroupsPerDimension',
      `${particles} particles need ${workgroups} workgroups, but this device's maxComputeWorkgroupsPerDimension of ${gpu.workgroupsPerDimension} holds ${most}: at most ${most * WORKGROUP_SIZE} particles fit.`,
      most * WORKGROUP_SIZE,
    );
  }
  checkDefaultLimits(gpu);
}

/** Throws if a limit is lower than kernels need. Only WebGPU's compatibility mode has such limits. */
export function checkDefaultLimits({ device: { limits } }: Gpu): void {
  for (const [name, needed] of [
    ['maxStorageBuffersPerShaderStage', 8],
    ['maxComputeInvocationsPerWorkgroup', Math.max(WORKGROUP_SIZE, MEASURE_WORKGROUP_SIZE)],
    ['maxComputeWorkgroupStorageSize', 16384],
  ] as const) {
    if (limits[name] < needed) {
      throw new LimitError(name, `This device's ${name} is ${limits[name]}, but cellstorm needs ${needed}.`);
    }
  }
}

/**
 * Throws if the device cannot bind a buffer of `needed` bytes. `request` names arguments of requestGpu with which the
 * device would hold the buffer.
 */
export function checkBinds(gpu: Gpu, needed: number, what: string, request: string): void {
  // createBuffers rounds sizes up.
  const bytes = Math.ceil(needed / 16) * 16;
  for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
    const most = gpu.device.limits[name];
    if (bytes <= most) continue;
    throw new LimitError(
      name,
      `${what} need a buffer of ${bytes} bytes, but this device was requested with a ${name} of ${most}; request it with ${request}.`,
    );
  }
}

const DEFAULT_LIMITS = {
  maxStorageBufferBindingSize: 128 * 2 ** 20,
  maxBufferSize: 256 * 2 ** 20,
} as const;

export function isSoftware(info: GPUAdapterInfo | undefined): boolean {
  if (!info) return false;
  const words = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|basic render/i.test(words);
}

/**
 * Throws if `gpu` is not a result of requestGpu or wrapDevice, or if the device is lost. Every public function that
 * takes a Gpu calls this before any GPU work.
 */
export function checkGpu(gpu: unknown): asserts gpu is Gpu {
  if (typeof (gpu as Gpu | undefined | null)?.checkAlive !== 'function') {
    throw new ArgumentError(
      'gpu',
      nameWebGpu(gpu),
      'the result of `await requestGpu(…)` or of `wrapDevice(device)`',
    );
  }
  (gpu as Gpu).checkAlive();
}

/** Names an object of WebGPU that callers pass by mistake. */
function nameWebGpu(value: unknown): unknown {
  for (const [method, name] of [
    ['createBindGroupLayout', 'a GPUDevice'],
    ['requestDevice', 'a GPUAdapter'],
    ['requestAdapter', 'navigator.gpu'],
  ] as const) {
    if (typeof (value as Record<string, unknown> | null)?.[method] === 'function') return new Phrase(name);
  }
  return value;
}

function missingGpu(): GpuError {
  const insecure = (globalThis as { isSecureContext?: boolean }).isSecureContext === false;
  return insecure
    ? new GpuError('insecure', 'WebGPU needs a secure context: serve this page over https or from localhost.')
    : new GpuError(
        'unsupported',
        'There is no WebGPU here (no navigator.gpu); use a browser that has it, pass `gpu`, or use cellstorm/cpu.',
      );
}

export function checkEncoder(encoder: unknown): asserts encoder is GPUCommandEncoder {
  if (typeof (encoder as GPUCommandEncoder | undefined)?.beginComputePass !== 'function') {
    throw new ArgumentError('encoder', encoder, 'a GPUCommandEncoder');
  }
}

/**
 * The callers' encoders that hold a recorded step and are not finished. WebGPU does not say whether an encoder is
 * finished, so noticeFinish replaces its `finish`.
 */
const OPEN = new WeakSet<GPUCommandEncoder>();

function noticeFinish(encoder: GPUCommandEncoder): void {
  if (OPEN.has(encoder)) return;
  const { finish } = encoder;
  const noticed = (...descriptor: Parameters<GPUCommandEncoder['finish']>) => {
    OPEN.delete(encoder);
    return finish.apply(encoder, descriptor);
  };
  const isReplaced = Reflect.defineProperty(encoder, 'finish', {
    value: noticed,
    configurable: true,
    writable: true,
  });
  if (isReplaced) OPEN.add(encoder);
}

/** Rejects calls while an encoder with a recorded step is not finished: they would see the state without the step. */
export class RecordedSteps {
  /** The callers' encoders with recorded steps. `open` removes finished encoders. */
  private encoders: readonly GPUCommandEncoder[] = [];

  /**
   * Error messages contain `what`, the thing that was recorded, and `remedy`, the advice for an encoder that was
   * dropped. With 'encode again', only the last encoder counts, because it overwrites the results of earlier ones.
   */
  constructor(
    private readonly what = 'step',
    private readonly remedy: 'restore a checkpoint' | 'encode again' = 'restore a checkpoint',
  ) {}

  note(encoder: GPUCommandEncoder): void {
    noticeFinish(encoder);
    const earlier = this.remedy === 'encode again' ? [] : this.open();
    this.encoders = [...earlier, encoder];
  }

  /** Throws if an encoder with a recorded step is not finished. */
  check(): void {
    const [first] = this.open();
    if (!first) return;
    const name = first.label ? `"${first.label}"` : 'without a label';
    throw new CellstormError(
      `A ${this.what} was recorded into the encoder ${name}, which is not finished: submit it first, or ${this.remedy} if it was dropped.`,
    );
  }

  /** Call this when the whole state is overwritten. */
  forget(): void {
    this.encoders = [];
  }

  private open(): readonly GPUCommandEncoder[] {
    this.encoders = this.encoders.filter((encoder) => OPEN.has(encoder));
    return this.encoders;
  }
}
