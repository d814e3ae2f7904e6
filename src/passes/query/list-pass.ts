/**
 * The base of passes that make a list: `tally` counts entries per owner, a scan turns counts into offsets, and `fill`
 * writes the entries.
 */
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Kernel } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';

export type ListStep = 'tally' | 'fill';

export class ListPass<Buffers extends { [Name in keyof Buffers]?: GPUBuffer | undefined }> {
  constructor(private readonly kernels: Readonly<Record<ListStep, Kernel>>) {}

  bind(step: ListStep, buffers: Buffers): GPUBindGroup {
    return this.kernels[step].bind(buffers as { readonly [name: string]: GPUBuffer | undefined });
  }

  /** `count` is the number of owners. */
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: ListStep,
    group: GPUBindGroup,
    count: number,
    offsets?: readonly number[],
  ): void {
    this.kernels[step].encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE), offsets);
  }
}
