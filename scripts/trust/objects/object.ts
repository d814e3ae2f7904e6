/** The interface through which the soak and fault commands use public objects, and the inputs of these objects. */
import { createHash } from 'node:crypto';
import type { Gpu } from '../../../src/gpu/device';
import { createNoise } from '../../../src/testing/noise';

export type Calls = Readonly<Record<string, () => unknown>>;

export interface Held {
  /** Steps, or searches once if the object does not step. */
  step(): unknown;
  /** Public calls that return promises. */
  readonly awaited: Calls;
  /** Other public calls. They must not change the number of particles. */
  readonly immediate: Calls;
  digest(): Promise<string>;
  readonly checkpoint?: (() => Promise<unknown>) | undefined;
  readonly restore?: ((checkpoint: unknown) => void) | undefined;
  destroy(): void;
}

export interface PublicObject {
  readonly name: string;
  /** `count` is the approximate number of particles, boxes or keys. */
  create(gpu: Gpu, count: number): Promise<Held>;
}

/** Length of a step, in seconds. */
export const DT = 1 / 64;

/** Returns a slightly disturbed lattice. With the default spacing, most neighbours overlap if their diameter is 1. */
export function latticeOf(dimensions: 2 | 3, count: number, spacing = 0.9): Float32Array<ArrayBuffer> {
  const noise = createNoise(count + dimensions);
  const edge = Math.ceil(count ** (1 / dimensions));
  return Float32Array.from({ length: dimensions * count }, (_, index) => {
    const [particle, axis] = [Math.floor(index / dimensions), index % dimensions];
    return spacing * ((Math.floor(particle / edge ** axis) % edge) + 1 + 0.2 * noise());
  });
}

export function boxOf(dimensions: 2 | 3, count: number) {
  const edge = Math.max(4, Math.ceil(count ** (1 / dimensions)) + 2);
  return { min: new Array<number>(dimensions).fill(0), max: new Array<number>(dimensions).fill(edge) };
}

/** Hashes plain data that may hold typed arrays. */
export function digestOf(value: unknown): string {
  const hash = createHash('sha256');
  const visit = (part: unknown): void => {
    if (ArrayBuffer.isView(part)) {
      hash.update(`${part.constructor.name} ${part.byteLength}`);
      hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    } else if (typeof part === 'object' && part !== null) {
      for (const [name, child] of Object.entries(part)) {
        hash.update(`${name}:`);
        visit(child);
      }
    } else hash.update(`${typeof part} ${String(part)};`);
  };
  visit(value);
  return hash.digest('hex').slice(0, 16);
}

export function submit(gpu: Gpu, record: (encoder: GPUCommandEncoder) => void): void {
  const encoder = gpu.device.createCommandEncoder({ label: 'trust' });
  record(encoder);
  gpu.device.queue.submit([encoder.finish()]);
}
