/**
 * Opens CPU, WebGPU and native engines behind one interface. WebGPU work runs in error scopes, because
 * work that the device rejects would otherwise be timed as very fast.
 */
import { GpuError, LimitError } from '../../src/core/base/errors';
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';
import {
  AbsentError,
  type CpuEngine,
  type CpuRunner,
  type Engine,
  FOLD_BYTES,
  type Found,
  foldCounters,
  foldPairs,
  type GpuEngine,
  type GpuRunner,
  type NativeEngine,
  type OwnDevice,
  type Part,
  type Work,
} from './engine';
import type { ClockSource, GpuClock } from './gpu-clock';
import type { BenchScene } from './scenes';

/** Mean milliseconds; `total` is a build and a query. */
export interface Sample {
  readonly build: number;
  readonly query: number;
  readonly total: number;
}

/** How often a sample repeats the build, the query, and the build with the query. CPU engines use only `total`. */
export type Batches = Sample;

export interface Open {
  readonly engine: Engine;
  readonly source: ClockSource;
  readonly copyBytesPerMs: number;
  readonly device?: OwnDevice | undefined;
  readonly memoryBytes: () => number | undefined;
  /** The possible error of a batch, in milliseconds. */
  readonly stepMs: () => number;
  place(positions: Float32Array): Promise<void>;
  /** Stores frames. Each timed build first loads the next frame; after the last frame, the order is reversed. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  find(): Promise<Found>;
  /** Counts the work of the last `find`, which had these positions. Undefined if the engine cannot tell. */
  readonly countWork?: ((positions: Float32Array) => Promise<Work>) | undefined;
  /** Resolves to undefined if the clock ran backwards. */
  time(batches: Batches): Promise<Sample | undefined>;
  close(): Promise<void>;
}

/** Returns the index of a step's frame. Frames go forwards, then backwards, so that no step skips a frame. */
function frameAt(step: number, frames: number): number {
  const period = Math.max(1, 2 * (frames - 1));
  const index = step % period;
  return index < frames ? index : period - index;
}

export async function openCpu(
  engine: CpuEngine,
  scene: BenchScene,
  { stepMs, copyBytesPerMs }: { readonly stepMs: number; readonly copyBytesPerMs: number },
): Promise<Open> {
  const runner: CpuRunner = await engine.open(scene);
  let frames: readonly Float32Array[] = [];
  let step = 0;
  return {
    engine,
    source: 'wall',
    copyBytesPerMs,
    memoryBytes: () => runner.memoryBytes,
    stepMs: () => stepMs,
    place: async (positions) => runner.place(positions),
    roll: async (given) => {
      frames = given;
    },
    find: async () => {
      runner.build();
      return foldPairs(runner.query());
    },
    countWork: runner.countWork && (async (positions) => runner.countWork?.(positions) as Work),
    time: async ({ total: batch }) => {
      let build = 0;
      let query = 0;
      // Each reading of the clock ends one part and begins the next. So only the first and the last reading affect the
      // total, which a coarse clock then measures well.
      let began = performance.now();
      for (let run = 0; run < batch; run++) {
        if (frames.length > 0) runner.place(frames[frameAt(step++, frames.length)] as Float32Array);
        runner.build();
        const built = performance.now();
        build += built - began;
        runner.query();
        began = performance.now();
        query += began - built;
      }
      return { build: build / batch, query: query / batch, total: (build + query) / batch };
    },
    close: async () => runner.destroy?.(),
  };
}

export async function openGpu(
  engine: GpuEngine,
  scene: BenchScene,
  gpu: Gpu,
  clock: GpuClock,
): Promise<Open> {
  const runner = await guard(gpu, () => engine.open(scene, gpu));
  const readback = new Readback(gpu, 'bench.found');
  const { device } = gpu;
  const frameBuffers = new FrameBuffers(gpu, runner);
  const encode: Readonly<Record<Part, (encoder: GPUCommandEncoder) => void>> = {
    wind: (encoder) => frameBuffers.encodeNext(encoder),
    build: (encoder) => runner.encodeBuild(encoder),
    query: (encoder) => runner.encodeQuery(encoder),
  };
  const time: Timer = (parts, batch) =>
    clock.time(batch, (encoder) => {
      for (const part of parts) encode[part](encoder);
    });
  return {
    engine,
    source: clock.source,
    copyBytesPerMs: clock.copyBytesPerMs,
    memoryBytes: () => runner.memoryBytes,
    stepMs: () => clock.stepMs,
    place: (positions) =>
      guard(gpu, async () => {
        runner.place(positions);
        await device.queue.onSubmittedWorkDone();
      }),
    roll: (frames) => guard(gpu, () => frameBuffers.fill(frames)),
    find: () =>
      guard(gpu, async () => {
        const encoder = device.createCommandEncoder({ label: 'bench.find' });
        encoder.clearBuffer(runner.counters);
        encode.build(encoder);
        encode.query(encoder);
        const reading = readback.record(encoder, [{ buffer: runner.counters, size: FOLD_BYTES }]);
        device.queue.submit([encoder.finish()]);
        const [bytes] = await reading.finish();
        return foldCounters(new Uint32Array(bytes as ArrayBuffer));
      }),
    countWork:
      runner.countWork && ((positions) => guard(gpu, async () => runner.countWork?.(positions) as Work)),
    time: (batches) => guard(gpu, () => takeSample(batches, frameBuffers.isFilled, time)),
    close: async () => {
      runner.destroy();
      frameBuffers.destroy();
      readback.destroy();
    },
  };
}

export async function openNative(
  engine: NativeEngine,
  scene: BenchScene,
  copyBytes: number,
): Promise<Open & { readonly device: OwnDevice }> {
  const runner = await engine.open(scene, copyBytes);
  const { device } = runner;
  let isRolled = false;
  return {
    engine,
    source: device.clock,
    copyBytesPerMs: device.copyBytesPerMs,
    device,
    memoryBytes: () => runner.memoryBytes,
    stepMs: () => device.clockStep / 1e6,
    place: (positions) => runner.place(positions),
    roll: async (frames) => {
      await runner.roll(frames);
      isRolled = frames.length > 0;
    },
    find: () => runner.find(),
    countWork: runner.countWork && (async (positions) => runner.countWork?.(positions) as Work),
    time: (batches) => takeSample(batches, isRolled, (parts, batch) => runner.time(parts, batch)),
    close: () => runner.destroy(),
  };
}

/** Works like `NativeRunner.time`, but resolves to undefined if the clock ran backwards. */
type Timer = (parts: readonly Part[], batch: number) => Promise<number | undefined>;

async function takeSample(batches: Batches, isRolled: boolean, time: Timer): Promise<Sample | undefined> {
  const loading = isRolled ? await time(['wind'], batches.total) : 0;
  const total = await time(['wind', 'build', 'query'], batches.total);
  const loadingAndBuild = await time(['wind', 'build'], batches.build);
  const queryTime = await time(['query'], batches.query);
  if (
    loading === undefined ||
    total === undefined ||
    loadingAndBuild === undefined ||
    queryTime === undefined
  )
    return undefined;
  // A negative difference becomes 0. Discarding such samples would keep only slow ones.
  const withoutLoading = (time: number) => Math.max(0, time - loading);
  return { build: withoutLoading(loadingAndBuild), query: queryTime, total: withoutLoading(total) };
}

/** Keeps frames on the device, so that one submission can load many. */
class FrameBuffers {
  private frames: GPUBuffer[] = [];
  private step = 0;

  constructor(
    private readonly gpu: Gpu,
    private readonly runner: GpuRunner,
  ) {}

  get isFilled(): boolean {
    return this.frames.length > 0;
  }

  async fill(frames: readonly Float32Array[]): Promise<void> {
    this.destroy();
    const { device } = this.gpu;
    const { bodies } = this.runner;
    for (const positions of frames) {
      const buffer = device.createBuffer({
        label: 'bench.frame',
        size: bodies.size,
        usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      });
      this.frames.push(buffer);
      this.runner.place(positions);
      const encoder = device.createCommandEncoder({ label: 'bench.frame' });
      encoder.copyBufferToBuffer(bodies, 0, buffer, 0, bodies.size);
      device.queue.submit([encoder.finish()]);
    }
    await device.queue.onSubmittedWorkDone();
  }

  encodeNext(encoder: GPUCommandEncoder): void {
    const frame = this.frames[frameAt(this.step++, this.frames.length)];
    if (frame) encoder.copyBufferToBuffer(frame, 0, this.runner.bodies, 0, frame.size);
  }

  destroy(): void {
    for (const frame of this.frames) frame.destroy();
    this.frames = [];
  }
}

/** True if the machine is too small, which is not the engine's fault. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof LimitError || isOutOfMemory(error);
}

/**
 * True if memory ran out; the memory may suffice for fewer engines. Typed arrays report this by one of two RangeErrors.
 */
export function isOutOfMemory(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'memory';
  if (error instanceof LimitError) return error.limit === 'memory';
  return error instanceof RangeError && /allocation|array length/i.test(error.message);
}

/** True if the device was lost. A loss ends all engines on the device, whichever engine caused it. */
export function isLost(error: unknown): boolean {
  return error instanceof GpuError && error.reason === 'lost';
}

/** True if a package, program or GPU is missing, which is not the engine's fault. */
export function isAbsent(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'no-adapter' || error.reason === 'unsupported';
  return error instanceof AbsentError;
}

/** Throws any error that the device reports about `work`. */
async function guard<Result>(gpu: Gpu, work: () => Promise<Result>): Promise<Result> {
  const { device } = gpu;
  const filters = ['validation', 'out-of-memory', 'internal'] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  const result = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  // Scopes are popped in reverse order.
  const errors = await Promise.all(filters.map(() => device.popErrorScope()).reverse());
  // A failed allocation causes further errors, so report it first.
  const memory = errors[filters.indexOf('out-of-memory')];
  if (memory) throw new GpuError('memory', `The device has too little memory: ${memory.message}`);
  if ('error' in result) throw result.error;
  const error = errors.find((scope) => scope !== null);
  if (error) throw new Error(`The device refused the work: ${error.message}`);
  gpu.checkAlive();
  return result.value;
}
