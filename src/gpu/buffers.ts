/**
 * Purpose: buffers that belong together: created in one out-of-memory scope, counted, destroyed at once.
 * createBuffer throws nothing when memory runs out; the scope does the asking.
 */
import { GpuError } from '../core/errors';
import type { Gpu } from './device';

export type BufferSizes = Readonly<Record<string, number>>;

export interface BufferSet<Names extends string> {
  readonly buffers: Readonly<Record<Names, GPUBuffer>>;
  readonly bytes: number;
  destroy(): void;
}

/** What a buffer of particle data may be used for, by kernels, copies, uploads and vertex stages. */
export const PARTICLE_USAGE = 0x80 | 0x04 | 0x08; // STORAGE | COPY_SRC | COPY_DST

/** Storage buffers of at least the given bytes, zeroed, named `label.name`. */
export async function createBuffers<const Sizes extends BufferSizes>(
  gpu: Gpu,
  label: string,
  sizes: Sizes,
  usage: number = PARTICLE_USAGE,
): Promise<BufferSet<keyof Sizes & string>> {
  gpu.checkAlive();
  gpu.device.pushErrorScope('out-of-memory');
  gpu.device.pushErrorScope('validation');
  const buffers: Record<string, GPUBuffer> = {};
  let bytes = 0;
  for (const [name, size] of Object.entries(sizes)) {
    const rounded = Math.max(16, Math.ceil(size / 16) * 16);
    bytes += rounded;
    buffers[name] = gpu.device.createBuffer({ label: `${label}.${name}`, size: rounded, usage });
  }
  const [invalid, exhausted] = await Promise.all([gpu.device.popErrorScope(), gpu.device.popErrorScope()]);
  const destroy = () => {
    for (const buffer of Object.values(buffers)) buffer.destroy();
  };
  if (exhausted || invalid) {
    destroy();
    throw new GpuError(
      exhausted ? 'memory' : 'validation',
      `The device could not reserve ${bytes} bytes for ${label}: ${(exhausted ?? invalid)?.message}`,
    );
  }
  return { buffers: buffers as Record<keyof Sizes & string, GPUBuffer>, bytes, destroy };
}
