/**
 * Times work on a GPU: between two timestamps around all of it, if the device has trustworthy ones, otherwise from
 * submission to completion. Work is recorded several times in a row, so that the coarseness of the clock and the
 * latency of a submission are spread over many runs; `stepMs` tells how many are enough.
 * Ordering: one measurement at a time.
 */
import { GpuError } from '../../src/core/base/errors';
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';
import { COPY_BYTES, LEAST_COPY_BYTES } from './cpu-clock';

const STAMP_BYTES = 16;

const COPY_REPEATS = 3;
const MOST_COPIES = 256;
/** The check of timestamps copies for at least this long, so that the latency matters little. */
const CHECK_MS = 20;
/** Timestamps that measure less than this share of the wall time do not wait for the work between them. */
export const LEAST_SHARE = 0.6;
/**
 * Attempts to find that timestamps agree with the wall clock. Timestamps that do not wait are too short in all of them.
 */
const MOST_LOOKS = 5;
/** Empty submissions; their median time is the latency of a submission. */
const EMPTY_SUBMISSIONS = 9;

/** 'events' are the timestamps of an API other than WebGPU. */
export type ClockSource = 'timestamps' | 'events' | 'wall';

/** Records one run; `run` is its index in the batch. */
export type Recorder = (encoder: GPUCommandEncoder, run: number) => void;

export class GpuClock {
  private readonly querySet: GPUQuerySet | undefined;
  private readonly resolved: GPUBuffer | undefined;
  private readonly readback: Readback;
  /** Nanoseconds; all timestamps so far are multiples of it. */
  private stampStep = 0n;
  private stamping = false;
  /** Milliseconds that an empty submission takes. */
  private latencyMs = 0;
  private copied = 0;
  private copiedBytes = 0;

  private constructor(private readonly gpu: Gpu) {
    this.readback = new Readback(gpu, 'bench.clock');
    if (!gpu.timestamps) return;
    this.stamping = true;
    this.querySet = gpu.device.createQuerySet({ label: 'bench.clock', type: 'timestamp', count: 2 });
    this.resolved = gpu.device.createBuffer({
      label: 'bench.clock.resolved',
      size: STAMP_BYTES,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /**
   * Measures how fast the device copies `copyBytes`, or as many as it has memory for. The same copies show whether its
   * timestamps can be trusted.
   */
  static async create(gpu: Gpu, copyBytes = COPY_BYTES): Promise<GpuClock> {
    const clock = new GpuClock(gpu);
    const { buffers, size } = await createCopyBuffers(gpu, copyBytes);
    const [from, to] = buffers;
    const copy: Recorder = (encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size);
    try {
      await clock.timeByWall(1, copy);
      let copies = 1;
      let wall = await clock.timeByWall(copies, copy);
      // Repeat until the latency is small compared with the work.
      while (wall * copies < CHECK_MS && copies < MOST_COPIES) {
        copies *= 4;
        wall = await clock.timeByWall(copies, copy);
      }
      if (clock.stamping) clock.stamping = await clock.agrees(copies, copy);
      if (!clock.stamping) await clock.measureLatency();
      let best = wall;
      for (let repeat = 0; repeat < COPY_REPEATS; repeat++) {
        best = Math.min(best, (await clock.time(copies, copy)) ?? wall);
      }
      clock.copied = (2 * size) / best;
      clock.copiedBytes = size;
      return clock;
    } catch (error) {
      clock.destroy();
      throw error;
    } finally {
      for (const buffer of buffers) buffer.destroy();
    }
  }

  get source(): ClockSource {
    return this.stamping ? 'timestamps' : 'wall';
  }

  /** Bytes per millisecond that buffer copies move, reads plus writes: the best of several. */
  get copyBytesPerMs(): number {
    return this.copied;
  }

  /** Bytes of each copy. */
  get copyBytes(): number {
    return this.copiedBytes;
  }

  /**
   * Milliseconds by which a measurement may be wrong: the step of all timestamps so far, or, with the wall clock, the
   * latency of a submission. Each measurement can only lower the step, so the error is never underestimated.
   */
  get stepMs(): number {
    return this.stamping ? Number(this.stampStep) / 1e6 : this.latencyMs;
  }

  /** Returns the milliseconds of one run, from `batch` runs in a row; undefined if the device's clock ran backwards. */
  async time(batch: number, record: Recorder): Promise<number | undefined> {
    const { querySet, resolved } = this;
    if (!this.stamping || !querySet || !resolved) return this.timeByWall(batch, record);
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    // Empty passes, whose timestamps wait for all work recorded before them.
    encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
    for (let run = 0; run < batch; run++) record(encoder, run);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    const reading = this.readback.record(encoder, [{ buffer: resolved, size: STAMP_BYTES }]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    const [begin = 0n, end = 0n] = new BigUint64Array(bytes as ArrayBuffer);
    this.stampStep = [begin, end].reduce(greatestDivisor, this.stampStep);
    // This happens if a device changes its frequency, or sleeps.
    if (end < begin) return undefined;
    return Number(end - begin) / 1e6 / batch;
  }

  destroy(): void {
    this.querySet?.destroy();
    this.resolved?.destroy();
    this.readback.destroy();
  }

  /**
   * Returns whether timestamps agree with the wall clock. It tries several times, since other work may delay one try.
   */
  private async agrees(batch: number, record: Recorder): Promise<boolean> {
    for (let look = 0; look < MOST_LOOKS; look++) {
      const wall = await this.timeByWall(batch, record);
      if (((await this.time(batch, record)) ?? 0) >= LEAST_SHARE * wall) return true;
    }
    return false;
  }

  private async timeByWall(batch: number, record: Recorder): Promise<number> {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    for (let run = 0; run < batch; run++) record(encoder, run);
    const commands = encoder.finish();
    await device.queue.onSubmittedWorkDone();
    const began = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - began) / batch;
  }

  private async measureLatency(): Promise<void> {
    const times: number[] = [];
    for (let turn = 0; turn < EMPTY_SUBMISSIONS; turn++) times.push(await this.timeByWall(1, () => {}));
    this.latencyMs = times.sort((a, b) => a - b)[EMPTY_SUBMISSIONS >> 1] ?? 0;
  }
}

/** Creates two buffers of `wanted` bytes, or halves the size until the device has memory for both. */
async function createCopyBuffers(
  { device }: Gpu,
  wanted: number,
): Promise<{ readonly buffers: readonly [GPUBuffer, GPUBuffer]; readonly size: number }> {
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  let size = wanted;
  while (size > device.limits.maxBufferSize) size /= 2;
  for (;;) {
    device.pushErrorScope('out-of-memory');
    const create = (index: number) => device.createBuffer({ label: `bench.copy.${index}`, size, usage });
    const buffers = [create(0), create(1)] as const;
    const refused = await device.popErrorScope();
    if (!refused) return { buffers, size };
    for (const buffer of buffers) buffer.destroy();
    if (size <= LEAST_COPY_BYTES)
      throw new GpuError('memory', `The device has no memory for two copies of ${size} bytes.`);
    size /= 2;
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}
