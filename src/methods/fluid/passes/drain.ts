/**
 * Drains on the GPU: a kernel marks the ids of drained particles, and the host reads them back. Shaders:
 * shaders/fluid/drain.wgsl, drained.wgsl.
 */
import type { Gpu } from '../../../gpu/device';
import { type Buffers, clearWords, createBuffers, readBuffers } from './buffers';
import { FluidKernel, WORKGROUP } from './kernel';
import { kernelSources } from './kernels';

export interface DrainedParticles {
  readonly frame: GPUBuffer;
  readonly positions: GPUBuffer;
  readonly ids: GPUBuffer;
}

export class Drain {
  private readonly packing: GPUBindGroup;

  private constructor(
    private readonly gpu: Gpu,
    private readonly capacity: number,
    private readonly owned: Buffers<'marks' | 'drained'>,
    private readonly drain: FluidKernel,
    private readonly drained: FluidKernel,
  ) {
    this.packing = drained.bind(owned.buffers);
  }

  static async create(gpu: Gpu, dimensions: 2 | 3, capacity: number): Promise<Drain> {
    const sources = kernelSources(false);
    const [drain, drained] = await Promise.all([
      FluidKernel.create(gpu, dimensions, sources.drain),
      FluidKernel.create(gpu, dimensions, sources.drained),
    ]);
    const owned = await createBuffers(gpu, { marks: 4 * capacity, drained: 4 * Math.ceil(capacity / 32) });
    return new Drain(gpu, capacity, owned, drain, drained);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  /** `frame`: byte offset of the frame. */
  encode(pass: GPUComputePassEncoder, particles: DrainedParticles, count: number, frame: number): void {
    const group = this.drain.bind({ ...particles, marks: this.owned.buffers.marks });
    this.drain.encode(pass, group, Math.ceil(count / WORKGROUP), frame);
  }

  /** Resolves to the ids marked before this call, and clears their marks. */
  async take(): Promise<Uint32Array> {
    const { device } = this.gpu;
    const words = Math.ceil(this.capacity / 32);
    const encoder = device.createCommandEncoder({ label: 'fluid.drained' });
    const pass = encoder.beginComputePass({ label: 'fluid.drained' });
    this.drained.encode(pass, this.packing, Math.ceil(words / WORKGROUP), 0);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readBuffers(this.gpu, [this.owned.buffers.drained]);
    const ids: number[] = [];
    new Uint32Array(bytes as ArrayBuffer, 0, words).forEach((word, index) => {
      for (let bit = 0; bit < 32 && word >>> bit !== 0; bit++)
        if ((word >>> bit) & 1) ids.push(32 * index + bit);
    });
    return Uint32Array.from(ids);
  }

  /** Resolves to the marked ids, and keeps their marks. */
  async read(): Promise<Uint32Array> {
    const [bytes] = await readBuffers(this.gpu, [this.owned.buffers.marks]);
    const marks = new Uint32Array(bytes as ArrayBuffer);
    const ids: number[] = [];
    for (let id = marks.indexOf(1); id >= 0; id = marks.indexOf(1, id + 1)) ids.push(id);
    return Uint32Array.from(ids);
  }

  clear(ids: ArrayLike<number>): void {
    clearWords(this.gpu, this.owned.buffers.marks, 1, ids);
  }

  replace(ids: Uint32Array): void {
    const marks = new Uint32Array(this.capacity);
    for (const id of ids) marks[id] = 1;
    this.gpu.device.queue.writeBuffer(this.owned.buffers.marks, 0, marks);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
