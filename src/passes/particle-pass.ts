/** The base of passes with one thread per particle. A second dispatch may run a heavy kernel for heavy particles. */
import { HEAVY_DISPATCH, LOOPING_WORKGROUPS, WORKGROUP_SIZE } from '../core/base/constants';
import type { Kernel } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';

export interface ParticleGroup {
  readonly group: GPUBindGroup;
  readonly heavy: HeavyGroup | undefined;
}

export interface HeavyGroup {
  readonly group: GPUBindGroup;
  readonly crowd: GPUBuffer;
}

type Named = { readonly [name: string]: GPUBuffer | undefined };

export class ParticlePass<Buffers extends { [Name in keyof Buffers]?: GPUBuffer | undefined }> {
  constructor(
    protected readonly kernel: Kernel,
    private readonly heavy?: Kernel,
  ) {}

  bind(buffers: Buffers): ParticleGroup {
    return bindKernels(this.kernel, this.heavy, buffers as Named);
  }

  encode(pass: GPUComputePassEncoder, shared: SharedBinding, group: ParticleGroup, count: number): void {
    encodeKernels(this.kernel, this.heavy, pass, shared, group, count);
  }
}

export function bindKernels(all: Kernel, heavy: Kernel | undefined, buffers: Named): ParticleGroup {
  const { crowd } = buffers;
  return {
    group: all.bind(buffers),
    heavy: heavy && crowd && { group: heavy.bind(buffers), crowd },
  };
}

export function encodeKernels(
  all: Kernel,
  heavy: Kernel | undefined,
  pass: GPUComputePassEncoder,
  shared: SharedBinding,
  bound: ParticleGroup,
  count: number,
  offsets?: readonly number[],
): void {
  all.encode(pass, shared, bound.group, Math.ceil(count / WORKGROUP_SIZE), offsets);
  if (!heavy || !bound.heavy || count === 0) return;
  const { group, crowd } = bound.heavy;
  const workgroups = { buffer: crowd, offset: 4 * HEAVY_DISPATCH, most: Math.min(count, LOOPING_WORKGROUPS) };
  heavy.encodeCounted(pass, shared, group, workgroups, offsets);
}
