/**
 * Purpose: what work takes on a GPU: between two timestamps around all that is recorded, where the device has them, else
 * from submission until it is done. Work is recorded several times behind itself, so that a coarse clock and the way to the
 * device are shared by all of it.
 */
import type { Gpu } from '../../src/gpu/device';
import { Readback } from '../../src/gpu/readback';

const STAMP_BYTES = 16;

const COPY_BYTES = 1 << 26;
const COPY_REPEATS = 6;
const MOST_COPIES = 256;
/** Copies that take so long show whether stamps and wall agree. */
const CHECK_MS = 20;
/** Stamps that make less of it than this share of the wall's time do not wait for the work between them. */
const LEAST_SHARE = 0.6;

export class GpuClock {
  private readonly querySet: GPUQuerySet | undefined;
  private readonly resolved: GPUBuffer | undefined;
  private readonly readback: Readback;
  /** Nanoseconds that all stamps so far are multiples of. */
  private step = 0n;
  private stamping = false;

  /** Bytes a millisecond that buffer copies move, reads and writes both counted: the best of several. */
  private copied = 0;

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

  /** Measures how fast the device copies, and with it whether its stamps can be believed. */
  static async create(gpu: Gpu): Promise<GpuClock> {
    const clock = new GpuClock(gpu);
    const { device } = gpu;
    const size = Math.min(COPY_BYTES, device.limits.maxBufferSize);
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const [from, to] = [0, 1].map((index) =>
      device.createBuffer({ label: `bench.copy.${index}`, size, usage }),
    ) as [GPUBuffer, GPUBuffer];
    const copy = (encoder: GPUCommandEncoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size);
    try {
      await clock.timeByWall(1, copy);
      let copies = 1;
      let wall = await clock.timeByWall(copies, copy);
      // Until the way to the device is small beside the work.
      while (wall * copies < CHECK_MS && copies < MOST_COPIES) {
        copies *= 4;
        wall = await clock.timeByWall(copies, copy);
      }
      if (clock.stamping && (await clock.time(copies, copy)) < LEAST_SHARE * wall) clock.stamping = false;
      let best = wall;
      for (let repeat = 0; repeat < COPY_REPEATS; repeat++)
        best = Math.min(best, await clock.time(copies, copy));
      clock.copied = (2 * size) / best;
      return clock;
    } finally {
      from.destroy();
      to.destroy();
    }
  }

  get source(): 'timestamps' | 'wall' {
    return this.stamping ? 'timestamps' : 'wall';
  }

  get copyBytesPerMs(): number {
    return this.copied;
  }

  /** 0 without timestamps. */
  get timestampStep(): number {
    return Number(this.step);
  }

  /** Milliseconds of one, of `batch` recorded behind one another. */
  async time(batch: number, record: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const { querySet, resolved } = this;
    if (!this.stamping || !querySet || !resolved) return this.timeByWall(batch, record);
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    // Passes without work: their stamps wait for all that was recorded before them.
    encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
    for (let run = 0; run < batch; run++) record(encoder);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    const reading = this.readback.record(encoder, [{ buffer: resolved, size: STAMP_BYTES }]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    const [begin = 0n, end = 0n] = new BigUint64Array(bytes as ArrayBuffer);
    this.step = [begin, end].reduce(greatestDivisor, this.step);
    // Clocks may run backwards where a device changes its frequency.
    return Math.max(0, Number(end - begin)) / 1e6 / batch;
  }

  destroy(): void {
    this.querySet?.destroy();
    this.resolved?.destroy();
    this.readback.destroy();
  }

  private async timeByWall(batch: number, record: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'bench' });
    for (let run = 0; run < batch; run++) record(encoder);
    const commands = encoder.finish();
    await device.queue.onSubmittedWorkDone();
    const began = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - began) / batch;
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

/** Bytes a millisecond that one thread of the processor copies, reads and writes both counted: the best of several. */
export function measureCpuCopy(): number {
  const from = new Float64Array(COPY_BYTES / 8).fill(1);
  const to = new Float64Array(COPY_BYTES / 8);
  let best = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < COPY_REPEATS; repeat++) {
    const began = performance.now();
    to.set(from);
    best = Math.min(best, performance.now() - began);
  }
  return (2 * COPY_BYTES) / best;
}
