/**
 * Wraps an engine that is open on a scene in one interface, whatever it runs on: set positions, find pairs, time in
 * batches. On WebGPU everything runs inside error scopes, because work that a device drops looks very fast.
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
} from './engine';
import type { ClockSource, GpuClock } from './gpu-clock';
import type { BenchScene } from './scenes';

/** Milliseconds of one run. */
export interface Sample {
  readonly build: number;
  readonly query: number;
  readonly total: number;
}

/** How many runs of each part are timed in a row. */
export type Batches = Sample;

export interface Open {
  readonly engine: Engine;
  readonly source: ClockSource;
  /** Bytes per millisecond that copies move on its device, reads plus writes. */
  readonly copyBytesPerMs: number;
  /** Its device, if that is neither the adapter nor the CPU thread that the others share. */
  readonly device?: OwnDevice | undefined;
  readonly memoryBytes: () => number | undefined;
  /** Milliseconds by which a measurement may be wrong. */
  readonly stepMs: () => number;
  place(positions: Float32Array): Promise<void>;
  /** Sets the frames that timed builds see from now on, one per build, forwards and backwards. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  find(): Promise<Found>;
  /** Returns undefined if the clock ran backwards. */
  time(batches: Batches): Promise<Sample | undefined>;
  close(): Promise<void>;
}

/** Frames run forwards and backwards, so that a body never moves more than one frame's distance. */
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
    time: async ({ total: batch }) => {
      let build = 0;
      let query = 0;
      // Each reading ends one part and begins the next, so with a coarse clock only the first and the last affect the
      // total.
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
  const reel = new Reel(gpu, runner);
  const encode: Readonly<Record<Part, (encoder: GPUCommandEncoder) => void>> = {
    wind: (encoder) => reel.wind(encoder),
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
    roll: (frames) => guard(gpu, () => reel.fill(frames)),
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
    time: (batches) => guard(gpu, () => takeSample(batches, reel.isFilled, time)),
    close: async () => {
      runner.destroy();
      reel.destroy();
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
    time: (batches) => takeSample(batches, isRolled, (parts, batch) => runner.time(parts, batch)),
    close: () => runner.destroy(),
  };
}

/**
 * Returns the milliseconds of one run of all `parts`, over `batch` runs in a row; undefined if the clock ran backwards.
 */
type Timer = (parts: readonly Part[], batch: number) => Promise<number | undefined>;

/** Times a sample on a device that times whole batches. */
async function takeSample(batches: Batches, isRolled: boolean, time: Timer): Promise<Sample | undefined> {
  // Loading the next frame is timed separately and subtracted.
  const winding = isRolled ? await time(['wind'], batches.total) : 0;
  const total = await time(['wind', 'build', 'query'], batches.total);
  const building = await time(['wind', 'build'], batches.build);
  const querying = await time(['query'], batches.query);
  if (winding === undefined || total === undefined || building === undefined || querying === undefined)
    return undefined;
  // Work that takes no time may come out negative. Discarding such samples would keep only the slow ones, so clamp
  // them.
  const less = (time: number) => Math.max(0, time - winding);
  return { build: less(building), query: querying, total: less(total) };
}

/** Holds frames on the device, so that one submission can step through many of them. */
class Reel {
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

  /** Records the copy that loads the next frame; nothing if all builds see the same frame. */
  wind(encoder: GPUCommandEncoder): void {
    const frame = this.frames[frameAt(this.step++, this.frames.length)];
    if (frame) encoder.copyBufferToBuffer(frame, 0, this.runner.bodies, 0, frame.size);
  }

  destroy(): void {
    for (const frame of this.frames) frame.destroy();
    this.frames = [];
  }
}

/** Returns whether the machine lacks memory or limits, which is not the engine's fault. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof LimitError || isOutOfMemory(error);
}

/**
 * Returns whether memory ran out now; with fewer open engines it may suffice. Typed arrays throw two kinds of
 * RangeError.
 */
export function isOutOfMemory(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'memory';
  if (error instanceof LimitError) return error.limit === 'memory';
  return error instanceof RangeError && /allocation|array length/i.test(error.message);
}

/** Returns whether the device was lost. That closes all its engines, whichever caused it. */
export function isLost(error: unknown): boolean {
  return error instanceof GpuError && error.reason === 'lost';
}

/** Returns whether a package is not installed or there is no GPU, which is not the engine's fault. */
export function isAbsent(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'no-adapter' || error.reason === 'unsupported';
  return error instanceof AbsentError;
}

/** Runs `work` and throws any error that the device reports about it. */
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
  // A buffer without memory causes further errors, so report the memory error first.
  const memory = errors[filters.indexOf('out-of-memory')];
  if (memory) throw new GpuError('memory', `The device has too little memory: ${memory.message}`);
  if ('error' in result) throw result.error;
  const error = errors.find((scope) => scope !== null);
  if (error) throw new Error(`The device refused the work: ${error.message}`);
  gpu.checkAlive();
  return result.value;
}
