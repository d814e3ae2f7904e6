/**
 * Purpose: an engine that was opened for a scene, whatever it runs on, behind one face: placed, asked what it finds,
 * timed in batches. On the GPU by WebGPU all of it is inside error scopes: work that a device dropped would look very fast.
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

/** Milliseconds of one. */
export interface Sample {
  readonly build: number;
  readonly query: number;
  readonly total: number;
}

/** Of each part of a sample how many are timed behind one another. */
export type Batches = Sample;

export interface Open {
  readonly engine: Engine;
  readonly source: ClockSource;
  /** Bytes a millisecond that copies move where it runs, reads and writes both counted. */
  readonly copyBytesPerMs: number;
  /** Where it runs, if that is neither the adapter nor the thread that all others have. */
  readonly device?: OwnDevice | undefined;
  readonly memoryBytes: () => number | undefined;
  /** Milliseconds by which a measurement may be wrong. */
  readonly stepMs: () => number;
  place(positions: Float32Array): Promise<void>;
  /** Frames that timed builds see from now on, one a build, there and back again. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  find(): Promise<Found>;
  /** Undefined where the clock ran backwards. */
  time(batches: Batches): Promise<Sample | undefined>;
  close(): Promise<void>;
}

/** There and back: a body that moves by a little from frame to frame never moves by more. */
function frameAt(step: number, frames: number): number {
  const period = Math.max(1, 2 * (frames - 1));
  const place = step % period;
  return place < frames ? place : period - place;
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
      // Each ends where the next begins: of a coarse clock only the first and the last reading count for the total.
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

/** Milliseconds of one, of `batch` of all of these parts behind one another; undefined where the clock ran backwards. */
type Timer = (parts: readonly Part[], batch: number) => Promise<number | undefined>;

/** Of a device that times whole batches. */
async function takeSample(batches: Batches, isRolled: boolean, time: Timer): Promise<Sample | undefined> {
  // What puts the next frame in place is timed by itself and taken off.
  const winding = isRolled ? await time(['wind'], batches.total) : 0;
  const total = await time(['wind', 'build', 'query'], batches.total);
  const building = await time(['wind', 'build'], batches.build);
  const querying = await time(['query'], batches.query);
  if (winding === undefined || total === undefined || building === undefined || querying === undefined)
    return undefined;
  // What does nothing takes as long as what was taken off, give or take; thrown away, only what took longer would count.
  const less = (time: number) => Math.max(0, time - winding);
  return { build: less(building), query: querying, total: less(total) };
}

/** Frames on the device, so that many can be stepped through in one submission. */
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

  /** Records that the next frame is put in place; nothing where all builds see the same. */
  wind(encoder: GPUCommandEncoder): void {
    const frame = this.frames[frameAt(this.step++, this.frames.length)];
    if (frame) encoder.copyBufferToBuffer(frame, 0, this.runner.bodies, 0, frame.size);
  }

  destroy(): void {
    for (const frame of this.frames) frame.destroy();
    this.frames = [];
  }
}

/** Whether a machine has not the room, which is no fault of the engine. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof LimitError || isOutOfMemory(error);
}

/** Whether there was no room now; where less is open there may be. Typed arrays say so by a RangeError, in two ways. */
export function isOutOfMemory(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'memory';
  if (error instanceof LimitError) return error.limit === 'memory';
  return error instanceof RangeError && /allocation|array length/i.test(error.message);
}

/** A device that was lost takes all engines on it along, whichever was too much for it. */
export function isLost(error: unknown): boolean {
  return error instanceof GpuError && error.reason === 'lost';
}

/** A package that is not installed, or a machine without a GPU: no fault of the engine's. */
export function isAbsent(error: unknown): boolean {
  if (error instanceof GpuError) return error.reason === 'no-adapter' || error.reason === 'unsupported';
  return error instanceof AbsentError;
}

/** Whatever the device has against the work rejects. */
async function guard<Result>(gpu: Gpu, work: () => Promise<Result>): Promise<Result> {
  const { device } = gpu;
  const filters = ['validation', 'out-of-memory', 'internal'] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  const result = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  // The last scope is the first to be popped.
  const errors = await Promise.all(filters.map(() => device.popErrorScope()).reverse());
  // What follows from a buffer that there was no memory for is wrong with it in other ways, too.
  const memory = errors[filters.indexOf('out-of-memory')];
  if (memory) throw new GpuError('memory', `The device has not enough memory: ${memory.message}`);
  if ('error' in result) throw result.error;
  const error = errors.find((scope) => scope !== null);
  if (error) throw new Error(`The device refused the work: ${error.message}`);
  gpu.checkAlive();
  return result.value;
}
