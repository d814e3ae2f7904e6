import { GpuError, LimitError } from '../../../core/base/errors';
import type { Gpu } from '../../../gpu/device';
import { Readback } from '../../../gpu/readback';

export interface Buffers<Names extends string> {
  readonly buffers: Readonly<Record<Names, GPUBuffer>>;
  readonly bytes: number;
  destroy(): void;
}

/** STORAGE | COPY_SRC | COPY_DST */
export const DATA = 0x80 | 0x04 | 0x08;
/** UNIFORM | COPY_DST */
export const UNIFORM = 0x40 | 0x08;
export const INDIRECT = 0x100;

export type Sizes = Readonly<Record<string, number | readonly [number, number]>>;

export async function createBuffers<const Given extends Sizes>(
  gpu: Gpu,
  sizes: Given,
): Promise<Buffers<keyof Given & string>> {
  const { device } = gpu;
  checkSizes(gpu, sizes);
  const wanted = wantedOf(sizes);
  device.pushErrorScope('out-of-memory');
  const buffers: Record<string, GPUBuffer> = {};
  for (const { name, size, usage } of wanted)
    buffers[name] = device.createBuffer({ label: `fluid.${name}`, size, usage });
  const destroy = () => {
    for (const buffer of Object.values(buffers)) buffer.destroy();
  };
  const exhausted = await device.popErrorScope();
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
  if (exhausted) {
    destroy();
    throw new GpuError(
      'memory',
      `The device could not reserve ${bytes} bytes for the fluid: ${exhausted.message}`,
    );
  }
  return { buffers: buffers as Record<keyof Given & string, GPUBuffer>, bytes, destroy };
}

function wantedOf(sizes: Sizes) {
  return Object.entries(sizes).map(([name, given]) => {
    const [size, usage] = typeof given === 'number' ? [given, DATA] : given;
    return { name, size: Math.max(16, Math.ceil(size / 16) * 16), usage };
  });
}

export function checkSizes({ device: { limits } }: Gpu, sizes: Sizes): void {
  for (const { name, size } of wantedOf(sizes)) {
    for (const limit of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
      if (size <= limits[limit]) continue;
      throw new LimitError(
        limit,
        `The fluid needs ${size} bytes for ${name}, but this device's ${limit} is ${limits[limit]}; request the GPU with \`cells: ${size / 4}\`, or use fewer cells or particles.`,
      );
    }
  }
}

/** Reads whole buffers after all work submitted so far. */
export async function readBuffers(gpu: Gpu, buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
  gpu.checkAlive();
  const readback = new Readback(gpu, 'fluid');
  try {
    const encoder = gpu.device.createCommandEncoder({ label: 'fluid.read' });
    const reading = readback.record(
      encoder,
      buffers.map((buffer) => ({ buffer, size: buffer.size })),
    );
    gpu.device.queue.submit([encoder.finish()]);
    return await reading.finish();
  } finally {
    readback.destroy();
  }
}

/** Zeroes `words` words per id. A run of consecutive ids takes one write. */
export function clearWords({ device }: Gpu, buffer: GPUBuffer, words: number, ids: ArrayLike<number>): void {
  for (let first = 0, next = 1; first < ids.length; first = next++) {
    while (next < ids.length && ids[next] === (ids[next - 1] as number) + 1) next++;
    const zeros = new Uint32Array(words * (next - first));
    device.queue.writeBuffer(buffer, 4 * words * (ids[first] as number), zeros);
  }
}
