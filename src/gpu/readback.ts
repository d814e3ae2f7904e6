/**
 * Reads bytes without stalling a frame, through staging buffers. Copies into a new staging buffer are submitted
 * separately, so that only the read fails if memory runs out.
 */
import { DestroyedError } from '../core/base/errors';
import { type ReservedBuffers, reserveBuffers } from './buffers';
import type { Gpu } from './device';

const MAX_IDLE = 4;
/** Staging buffers of more bytes than this are not kept, because reading a whole state every frame is rare. */
const LARGEST_KEPT = 1 << 20;

export interface ReadRange {
  readonly buffer: GPUBuffer;
  readonly offset?: number;
  /** Bytes, a multiple of 4. */
  readonly size: number;
}

export class Readback {
  private readonly idle: GPUBuffer[] = [];
  private readonly busy = new Set<GPUBuffer>();
  private destroyed = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly label: string,
    /** Greatest size of a staging buffer. */
    private readonly mostBytes = gpu.device.limits.maxBufferSize,
  ) {}

  /**
   * Records the copies, or leaves them to `finish` if the staging buffer is new. Call `finish` right after submitting.
   * If one staging buffer would be too large for the device, each range gets its own.
   */
  record(encoder: GPUCommandEncoder, ranges: readonly ReadRange[]): { finish(): Promise<ArrayBuffer[]> } {
    const { device } = this.gpu;
    const total = ranges.reduce((sum, range) => sum + aligned(range.size), 0);
    if (total > this.mostBytes && ranges.length > 1) {
      const readings = ranges.map((range) => this.record(encoder, [range]));
      return {
        finish: async () => (await Promise.all(readings.map((reading) => reading.finish()))).flat(),
      };
    }
    const { staging, settled } = this.acquire(total);
    if (!settled) copyRanges(encoder, ranges, staging);
    return {
      finish: async () => {
        try {
          // If there is no memory for the staging buffer, copies and mapAsync are invalid. The scope hides these
          // errors, because `settled` reports the lack of memory.
          device.pushErrorScope('validation');
          let mapped: Promise<void>;
          try {
            if (settled) this.submitCopies(ranges, staging);
            mapped = staging.mapAsync(GPUMapMode.READ, 0, Math.max(8, total));
            mapped.catch(() => undefined);
          } finally {
            device.popErrorScope().catch(() => undefined);
          }
          await settled;
          await mapped;
          this.gpu.checkAlive();
          const range = staging.getMappedRange(0, Math.max(8, total));
          let position = 0;
          const results = ranges.map(({ size }) => {
            const bytes = range.slice(position, position + size);
            position += aligned(size);
            return bytes;
          });
          staging.unmap();
          this.release(staging);
          return results;
        } catch (error) {
          this.busy.delete(staging);
          staging.destroy();
          this.gpu.checkAlive();
          if (this.destroyed) throw new DestroyedError(this.label);
          throw error;
        }
      },
    };
  }

  private submitCopies(ranges: readonly ReadRange[], staging: GPUBuffer): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: `${this.label}.read` });
    copyRanges(encoder, ranges, staging);
    device.queue.submit([encoder.finish()]);
  }

  /** `settled` is set if the staging buffer is new. It rejects if there is no memory for the buffer. */
  private acquire(bytes: number): { readonly staging: GPUBuffer; readonly settled?: Promise<void> } {
    const index = this.idle.findIndex((buffer) => buffer.size >= bytes);
    const [idle] = index >= 0 ? this.idle.splice(index, 1) : [];
    if (idle) {
      this.busy.add(idle);
      return { staging: idle };
    }
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const size = Math.max(256, aligned(bytes));
    const made: ReservedBuffers<'staging'> = reserveBuffers(this.gpu, this.label, { staging: size }, usage);
    const { staging } = made.buffers;
    this.busy.add(staging);
    return { staging, settled: made.settled };
  }

  private release(staging: GPUBuffer): void {
    this.busy.delete(staging);
    if (this.idle.length < MAX_IDLE && staging.size <= LARGEST_KEPT) this.idle.push(staging);
    else staging.destroy();
  }

  /** Destroys the buffers. Pending reads reject with a DestroyedError. */
  destroy(): void {
    this.destroyed = true;
    for (const buffer of [...this.idle, ...this.busy]) buffer.destroy();
    this.idle.length = 0;
    this.busy.clear();
  }
}

function copyRanges(encoder: GPUCommandEncoder, ranges: readonly ReadRange[], staging: GPUBuffer): void {
  let offset = 0;
  for (const { buffer, offset: from = 0, size } of ranges) {
    if (size > 0) encoder.copyBufferToBuffer(buffer, from, staging, offset, size);
    offset += aligned(size);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
