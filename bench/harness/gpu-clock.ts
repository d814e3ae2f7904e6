/**
 * Purpose: what work takes on a GPU: between two timestamps around all that is recorded, where the device has them and they
 * can be believed, else from submission until it is done. Work is recorded several times behind itself, so that a coarse
 * clock and the way to the device are shared by all of it; `stepMs` says of how much work that must be.
 * Ordering: one measurement at a time.
 */
import { GpuError } from '../../src/core/base/errors';
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';
import { COPY_BYTES, LEAST_COPY_BYTES } from './cpu-clock';

const STAMP_BYTES = 16;

const COPY_REPEATS = 3;
const MOST_COPIES = 256;
/** Copies that take so long show whether stamps and wall agree. */
const CHECK_MS = 20;
/** Stamps that make less of it than this share of the wall's time do not wait for the work between them. */
export const LEAST_SHARE = 0.6;
/** Looks at that, until one of them shows it: stamps that do not wait are short in all. */
const MOST_LOOKS = 5;
/** Submissions of nothing, whose median is what the way to the device takes. */
const EMPTY_SUBMISSIONS = 9;

/** `events`: what another API than WebGPU puts between two pieces of work. */
export type ClockSource = 'timestamps' | 'events' | 'wall';

/** `run`: the how manieth of the batch is recorded. */
export type Recorder = (encoder: GPUCommandEncoder, run: number) => void;

export class GpuClock {
  private readonly querySet: GPUQuerySet | undefined;
  private readonly resolved: GPUBuffer | undefined;
  private readonly readback: Readback;
  /** Nanoseconds that all stamps so far are multiples of. */
  private stampStep = 0n;
  private stamping = false;
  /** Milliseconds of a submission of nothing. */
  private wayMs = 0;
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

  /** Measures how fast the device copies so many bytes, or as many as it has room for, and with it whether its stamps can be believed. */
  static async create(gpu: Gpu, copyBytes = COPY_BYTES): Promise<GpuClock> {
    const clock = new GpuClock(gpu);
    const { buffers, size } = await createCopyBuffers(gpu, copyBytes);
    const [from, to] = buffers;
    const copy: Recorder = (encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size);
    try {
      await clock.timeByWall(1, copy);
      let copies = 1;
      let wall = await clock.timeByWall(copies, copy);
      // Until the way to the device is small beside the work.
      while (wall * copies < CHECK_MS && copies < MOST_COPIES) {
        copies *= 4;
        wall = await clock.timeByWall(copies, copy);
      }
      if (clock.stamping) clock.stamping = await clock.agrees(copies, copy);
      if (!clock.stamping) await clock.measureWay();
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

  /** Bytes a millisecond that buffer copies move, reads and writes both counted: the best of several. */
  get copyBytesPerMs(): number {
    return this.copied;
  }

  /** Of each of these copies. */
  get copyBytes(): number {
    return this.copiedBytes;
  }

  /**
   * Milliseconds by which a measurement may be wrong: what all stamps are multiples of, or by the wall, what a submission of
   * nothing takes. Known better with each measurement, never less of it than there is.
   */
  get stepMs(): number {
    return this.stamping ? Number(this.stampStep) / 1e6 : this.wayMs;
  }

  /** Milliseconds of one, of `batch` recorded behind one another; undefined where the device's clock ran backwards. */
  async time(batch: number, record: Recorder): Promise<number | undefined> {
    const { querySet, resolved } = this;
    if (!this.stamping || !querySet || !resolved) return this.timeByWall(batch, record);
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    // Passes without work: their stamps wait for all that was recorded before them.
    encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
    for (let run = 0; run < batch; run++) record(encoder, run);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    const reading = this.readback.record(encoder, [{ buffer: resolved, size: STAMP_BYTES }]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    const [begin = 0n, end = 0n] = new BigUint64Array(bytes as ArrayBuffer);
    this.stampStep = [begin, end].reduce(greatestDivisor, this.stampStep);
    // As clocks do where a device changes its frequency, or sleeps.
    if (end < begin) return undefined;
    return Number(end - begin) / 1e6 / batch;
  }

  destroy(): void {
    this.querySet?.destroy();
    this.resolved?.destroy();
    this.readback.destroy();
  }

  /** Whether stamps make as much of some work as the wall does. Where other work held up one measurement, the next may tell. */
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

  private async measureWay(): Promise<void> {
    const times: number[] = [];
    for (let turn = 0; turn < EMPTY_SUBMISSIONS; turn++) times.push(await this.timeByWall(1, () => {}));
    this.wayMs = times.sort((a, b) => a - b)[EMPTY_SUBMISSIONS >> 1] ?? 0;
  }
}

/** Two of `wanted` bytes, or of half as many as often as the device has not the room. */
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
      throw new GpuError('memory', `The device has no room for two copies of ${size} bytes.`);
    size /= 2;
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}
