/**
 * Keeps the fluid's energy from growing in a substep, within limits. Shaders: shaders/fluid/energy.wgsl,
 * settlement.wgsl, settle.wgsl. Twin: src/methods/fluid/reference/energy.ts, which explains the limits.
 * Guarantee: sums have a fixed order, so on one device the same state gives the same bits.
 */
import type { Gpu } from '../../../gpu/device';
import { type Buffers, createBuffers } from './buffers';
import { FluidKernel, PARTIALS, WORKGROUP } from './kernel';
import { kernelSources } from './kernels';

export interface SettledParticles {
  readonly frame: GPUBuffer;
  readonly kinds: GPUBuffer;
  readonly positions: GPUBuffer;
  readonly velocities: GPUBuffer;
  readonly ids: GPUBuffer;
}

const NAMES = ['energy', 'settlement', 'settle'] as const;

export function accountBytes(dimensions: number, capacity: number): number {
  return 4 * (1 + 2 * dimensions) * capacity;
}

export class Energy {
  private constructor(
    private readonly owned: Buffers<'account' | 'settlement' | 'partials'>,
    private readonly kernels: readonly [FluidKernel, FluidKernel, FluidKernel],
  ) {}

  static async create(gpu: Gpu, dimensions: 2 | 3, capacity: number): Promise<Energy> {
    const sources = kernelSources(false);
    const [energy, settlement, settle] = NAMES.map((name) =>
      FluidKernel.create(gpu, dimensions, sources[name]),
    );
    const kernels = await Promise.all([energy, settlement, settle] as [
      Promise<FluidKernel>,
      Promise<FluidKernel>,
      Promise<FluidKernel>,
    ]);
    const owned = await createBuffers(gpu, {
      account: accountBytes(dimensions, capacity),
      settlement: 16,
      partials: 2 * 16 * PARTIALS,
    });
    return new Energy(owned, kernels);
  }

  /** Each particle's account (ACCOUNT in shared.wgsl), by id. The kernel that moves particles writes the accounts. */
  get account(): GPUBuffer {
    return this.owned.buffers.account;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  /** `frame`: byte offset of the frame. */
  encode(pass: GPUComputePassEncoder, particles: SettledParticles, count: number, frame: number): void {
    const all = { ...this.owned.buffers, ...particles };
    const each = Math.ceil(count / WORKGROUP);
    const workgroups = [Math.min(PARTIALS, each), 1, each];
    this.kernels.forEach((kernel, index) => {
      kernel.encode(pass, kernel.bind(all), workgroups[index] as number, frame);
    });
  }

  destroy(): void {
    this.owned.destroy();
  }
}
