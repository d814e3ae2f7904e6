/**
 * Times work on a GPU: between timestamps if these can be trusted, otherwise from submission to completion. A batch
 * repeats the work, so that the clock's step or the latency is a small share of the time. Start a measurement only
 * after the previous one has ended.
 */
import { GpuError } from '../../src/core/base/errors';
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';
import { createCopied, createCopy, mostCopied } from './copying';
import { COPY_BYTES, LEAST_COPY_BYTES } from './cpu-clock';

const STAMP_BYTES = 16;

const COPY_REPEATS = 3;
const MOST_COPIES = 256;
/** Adds copies until they take this many milliseconds together, so that latency matters little. */
const CHECK_MS = 20;
/** Timestamps that measure less than this share of the wall time do not wait for the work. */
export const LEAST_SHARE = 0.6;
/** Timestamps are trusted if one of this many checks agrees with the wall time. Other work may disturb some checks. */
const MOST_CHECKS = 5;
const EMPTY_SUBMISSIONS = 9;

/** 'events' are timestamps of another API than WebGPU. */
export type ClockSource = 'timestamps' | 'events' | 'wall';

export type Recorder = (encoder: GPUCommandEncoder, run: number) => void;

export class GpuClock {
  private readonly querySet: GPUQuerySet | undefined;
  private readonly resolved: GPUBuffer | undefined;
  private readonly readback: Readback;
  /** Nanoseconds: the greatest common divisor of all timestamps so far. */
  private stampStep = 0n;
  private usesTimestamps = false;
  private latencyMs = 0;
  private copySpeed = 0;
  private copySize = 0;

  private constructor(private readonly gpu: Gpu) {
    this.readback = new Readback(gpu, 'bench.clock');
    if (!gpu.timestamps) return;
    this.usesTimestamps = true;
    this.querySet = gpu.device.createQuerySet({ label: 'bench.clock', type: 'timestamp', count: 2 });
    this.resolved = gpu.device.createBuffer({
      label: 'bench.clock.resolved',
      size: STAMP_BYTES,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /** Measures the bandwidth by copying `copyBytes` bytes, or fewer if the device allows less. Tests the timestamps. */
  static async create(gpu: Gpu, copyBytes = COPY_BYTES): Promise<GpuClock> {
    const { buffers, size } = await createCopyBuffers(gpu, copyBytes);
    const clock = new GpuClock(gpu);
    const [from, to] = buffers;
    try {
      const copy = await createCopy(gpu, from, to);
      await clock.timeByWall(1, copy);
      let copies = 1;
      let wall = await clock.timeByWall(copies, copy);
      while (wall * copies < CHECK_MS && copies < MOST_COPIES) {
        copies *= 4;
        wall = await clock.timeByWall(copies, copy);
      }
      if (clock.usesTimestamps) clock.usesTimestamps = await clock.agrees(copies, copy);
      if (!clock.usesTimestamps) await clock.measureLatency();
      let best = wall;
      for (let repeat = 0; repeat < COPY_REPEATS; repeat++) {
        best = Math.min(best, (await clock.time(copies, copy)) ?? wall);
      }
      clock.copySpeed = (2 * size) / best;
      clock.copySize = size;
      return clock;
    } catch (error) {
      clock.destroy();
      throw error;
    } finally {
      for (const buffer of buffers) buffer.destroy();
    }
  }

  get source(): ClockSource {
    return this.usesTimestamps ? 'timestamps' : 'wall';
  }

  /** Bytes read and written per millisecond, in the fastest of several measurements. */
  get copyBytesPerMs(): number {
    return this.copySpeed;
  }

  get copyBytes(): number {
    return this.copySize;
  }

  /** The possible error of a batch: the step of the timestamps, which may still shrink, or the wall clock's latency. */
  get stepMs(): number {
    return this.usesTimestamps ? Number(this.stampStep) / 1e6 : this.latencyMs;
  }

  /** Mean milliseconds of `batch` runs in a row; undefined if the device's clock ran backwards. */
  async time(batch: number, record: Recorder): Promise<number | undefined> {
    const { querySet, resolved } = this;
    if (!this.usesTimestamps || !querySet || !resolved) return this.timeByWall(batch, record);
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    // Timestamps of empty passes wait for all work before them.
    encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
    for (let run = 0; run < batch; run++) record(encoder, run);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    const reading = this.readback.record(encoder, [{ buffer: resolved, size: STAMP_BYTES }]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    const [begin = 0n, end = 0n] = new BigUint64Array(bytes as ArrayBuffer);
    this.stampStep = [begin, end].reduce(greatestDivisor, this.stampStep);
    // The clock may run backwards when a device changes its frequency or sleeps.
    if (end < begin) return undefined;
    return Number(end - begin) / 1e6 / batch;
  }

  destroy(): void {
    this.querySet?.destroy();
    this.resolved?.destroy();
    this.readback.destroy();
  }

  private async agrees(batch: number, record: Recorder): Promise<boolean> {
    for (let check = 0; check < MOST_CHECKS; check++) {
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
    for (let index = 0; index < EMPTY_SUBMISSIONS; index++) times.push(await this.timeByWall(1, () => {}));
    this.latencyMs = times.sort((a, b) => a - b)[EMPTY_SUBMISSIONS >> 1] ?? 0;
  }
}

async function createCopyBuffers(
  gpu: Gpu,
  wanted: number,
): Promise<{ readonly buffers: readonly [GPUBuffer, GPUBuffer]; readonly size: number }> {
  const { device } = gpu;
  let size = wanted;
  while (size > mostCopied(gpu)) size /= 2;
  for (;;) {
    device.pushErrorScope('out-of-memory');
    const buffers = [createCopied(gpu, 0, size), createCopied(gpu, 1, size)] as const;
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
