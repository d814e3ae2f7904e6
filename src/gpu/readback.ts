/**
 * Reads bytes from the GPU without stalling a frame. It copies them to staging buffers, and maps a staging buffer when
 * its copies are done. Up to MAX_IDLE staging buffers are kept for reuse; the others are destroyed after use.
 */
import { DestroyedError } from '../core/base/errors';
import type { Gpu } from './device';

const MAX_IDLE = 4;
/**
 * Most bytes of a staging buffer that is kept. Larger ones are not, because reading a whole state every frame is rare.
 */
const LARGEST_KEPT = 1 << 20;

export interface ReadRange {
  readonly buffer: GPUBuffer;
  readonly offset?: number;
  /** Number of bytes, a multiple of 4. */
  readonly size: number;
}

export class Readback {
  private readonly idle: GPUBuffer[] = [];
  private readonly busy = new Set<GPUBuffer>();
  private destroyed = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly label: string,
  ) {}

  /** Records the copies of the ranges. Call `finish` after the encoder is submitted. */
  record(encoder: GPUCommandEncoder, ranges: readonly ReadRange[]): { finish(): Promise<ArrayBuffer[]> } {
    const total = ranges.reduce((sum, range) => sum + aligned(range.size), 0);
    const staging = this.acquire(total);
    let offset = 0;
    for (const range of ranges) {
      if (range.size > 0)
        encoder.copyBufferToBuffer(range.buffer, range.offset ?? 0, staging, offset, range.size);
      offset += aligned(range.size);
    }
    return {
      finish: async () => {
        try {
          await staging.mapAsync(GPUMapMode.READ, 0, Math.max(8, total));
          this.gpu.checkAlive();
          const mapped = staging.getMappedRange(0, Math.max(8, total));
          let position = 0;
          const results = ranges.map((range) => {
            const bytes = mapped.slice(position, position + range.size);
            position += aligned(range.size);
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

  private acquire(bytes: number): GPUBuffer {
    const index = this.idle.findIndex((buffer) => buffer.size >= bytes);
    const staging =
      index >= 0
        ? (this.idle.splice(index, 1)[0] as GPUBuffer)
        : this.gpu.device.createBuffer({
            label: `${this.label}.staging`,
            size: Math.max(256, aligned(bytes)),
            usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
          });
    this.busy.add(staging);
    return staging;
  }

  private release(staging: GPUBuffer): void {
    this.busy.delete(staging);
    if (this.idle.length < MAX_IDLE && staging.size <= LARGEST_KEPT) this.idle.push(staging);
    else staging.destroy();
  }

  /** Destroys all staging buffers. Pending reads reject with a DestroyedError. */
  destroy(): void {
    this.destroyed = true;
    for (const buffer of [...this.idle, ...this.busy]) buffer.destroy();
    this.idle.length = 0;
    this.busy.clear();
  }
}

/** Rounds up to a multiple of 8, as mapAsync requires of offsets. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
