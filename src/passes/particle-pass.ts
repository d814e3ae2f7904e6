/**
 * Purpose: what every pass with one thread a particle shares: typed binding, and a dispatch over `count`
 * slots. `encode` only records; the caller submits.
 */
import { WORKGROUP_SIZE } from '../core/constants';
import type { Kernel } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';

export class ParticlePass<Buffers extends { [Name in keyof Buffers]?: GPUBuffer | undefined }> {
  constructor(protected readonly kernel: Kernel) {}

  bind(buffers: Buffers): GPUBindGroup {
    return this.kernel.bind(buffers as { readonly [name: string]: GPUBuffer | undefined });
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, group: GPUBindGroup, count: number): void {
    this.kernel.encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE));
  }
}
