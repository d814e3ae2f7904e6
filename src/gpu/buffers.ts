/** Creates sets of buffers inside error scopes, because createBuffer does not throw if memory runs out. */
import { GpuError } from '../core/base/errors';
import type { Gpu } from './device';

export type BufferSizes = Readonly<Record<string, number>>;

export interface BufferSet<Names extends string> {
  readonly buffers: Readonly<Record<Names, GPUBuffer>>;
  readonly bytes: number;
  destroy(): void;
}

/** Usage flags of particle data. VERTEX lets callers draw from it. */
export const PARTICLE_USAGE = 0x80 | 0x20 | 0x04 | 0x08; // STORAGE | VERTEX | COPY_SRC | COPY_DST

/** Buffers that the device has not confirmed yet. If it rejects one, all are destroyed and `settled` rejects. */
export interface ReservedBuffers<Names extends string> extends BufferSet<Names> {
  readonly settled: Promise<void>;
}

/** Creates zeroed buffers of at least the given sizes in bytes, labelled `label.name`. */
export async function createBuffers<const Sizes extends BufferSizes>(
  gpu: Gpu,
  label: string,
  sizes: Sizes,
  usage?: number,
): Promise<BufferSet<keyof Sizes & string>> {
  const reserved = reserveBuffers(gpu, label, sizes, usage);
  await reserved.settled;
  return reserved;
}

/** Buffers that hold positions as whole numbers. Code that reads positions as floats must reject these buffers. */
export const WHOLE_POSITIONS = new WeakSet<GPUBuffer>();

/** Like createBuffers, but does not wait: the caller records work first, and awaits `settled` later. */
export function reserveBuffers<const Sizes extends BufferSizes>(
  gpu: Gpu,
  label: string,
  sizes: Sizes,
  usage: number = PARTICLE_USAGE,
): ReservedBuffers<keyof Sizes & string> {
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
  const errors = Promise.all([gpu.device.popErrorScope(), gpu.device.popErrorScope()]);
  const destroy = () => {
    for (const buffer of Object.values(buffers)) buffer.destroy();
  };
  const settled = errors.then(([invalid, exhausted]) => {
    if (!exhausted && !invalid) {
      // The scopes of a lost device report nothing.
      gpu.checkAlive();
      return;
    }
    destroy();
    throw new GpuError(
      exhausted ? 'memory' : 'validation',
      `The device could not reserve ${bytes} bytes for ${label}: ${(exhausted ?? invalid)?.message}`,
    );
  });
  // Callers that do not await `settled` must not cause an unhandled rejection.
  settled.catch(() => undefined);
  return { buffers: buffers as Record<keyof Sizes & string, GPUBuffer>, bytes, destroy, settled };
}

/** Waits for all parts of an object. If one fails, destroys the others and throws the first error. */
export async function createParts<Parts extends Readonly<Record<string, unknown>>>(
  promises: {
    readonly [Name in keyof Parts]: Promise<Parts[Name]>;
  },
): Promise<Parts> {
  const names = Object.keys(promises);
  const outcomes = await Promise.allSettled<unknown>(Object.values(promises));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const parts: Record<string, unknown> = {};
  outcomes.forEach((outcome, index) => {
    if (outcome.status !== 'fulfilled') return;
    parts[names[index] as string] = outcome.value;
    if (failed) (outcome.value as { destroy?: () => void } | undefined)?.destroy?.();
  });
  if (failed) throw failed.reason;
  return parts as Parts;
}
