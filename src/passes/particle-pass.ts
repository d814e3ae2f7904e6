/**
 * Purpose: what every pass with one thread a particle shares: typed binding, and a dispatch over `count`
 * slots; in grids made for crowds a second one over the heavy particles. `encode` only records; the caller submits.
 */
import { CROWD_WORKGROUPS, WORKGROUP_SIZE } from '../core/constants';
import type { Kernel } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';

export interface ParticleGroup {
  readonly group: GPUBindGroup;
  readonly heavy: GPUBindGroup | undefined;
}

export class ParticlePass<Buffers extends { [Name in keyof Buffers]?: GPUBuffer | undefined }> {
  constructor(
    protected readonly kernel: Kernel,
    private readonly heavy?: Kernel,
  ) {}

  bind(buffers: Buffers): ParticleGroup {
    const named = buffers as { readonly [name: string]: GPUBuffer | undefined };
    return { group: this.kernel.bind(named), heavy: this.heavy?.bind(named) };
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    { group, heavy }: ParticleGroup,
    count: number,
  ): void {
    this.kernel.encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE));
    if (heavy) this.heavy?.encode(pass, shared, heavy, crowdWorkgroups(count));
  }
}

/** Workgroups that go over the crowds of so many particles; they stride, so fewer would do. */
export function crowdWorkgroups(count: number): number {
  return Math.min(CROWD_WORKGROUPS, Math.ceil(count / WORKGROUP_SIZE));
}
