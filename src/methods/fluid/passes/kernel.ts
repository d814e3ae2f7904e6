/** A kernel of the fluid: adds shared WGSL and constants, and dispatches with a substep's frame. */

import shared from '../../../../shaders/fluid/shared.wgsl?raw';
import { NOT_A_NUMBER } from '../../../core/base/constants';
import type { Bindings } from '../../../gpu/bindings';
import type { Gpu } from '../../../gpu/device';
import { type CountedWorkgroups, Kernel, type KernelDescription } from '../../../gpu/kernel';
import type { ShaderSource } from '../../../gpu/link';
import * as constants from '../constants';
import { AIR, FLUID, SOLID } from '../lattice';
import { MAX_OBSTACLES } from '../obstacles';
import { COARSEST_ROUNDS, SMOOTHINGS } from '../reference/multigrid';
import { MAX_DRAINS } from '../settings';
import { FRAME_BYTES, MOST_LEVELS } from './frame';

export const WORKGROUP = 64;
/** Cells along each side of a tile; see tile.wgsl. */
export const TILE = 32;
/** Threads per tile. On software adapters, a barrier takes longer the more threads there are. */
export const TILE_THREADS = { gpu: 256, software: 32 } as const;
/** Threads of the single workgroup that solves all small levels; see tail.wgsl. */
export const TAIL_THREADS = 128;
/** The tail's workgroup solves only levels with at most this many cells; see planCycle in pressure.ts. */
export const TAIL_CELLS = 1024;
/**
 * One workgroup (coarsen_tail.wgsl) computes the equations of all levels from tail + 1 − TAIL_LEAD on, where `tail` is
 * the first level that the tail kernel solves. The number is smaller in 3D, where a level has eight times the cells of
 * the next.
 */
export const TAIL_LEAD = { 2: 2, 3: 1 } as const;
/** Greatest number of workgroups that compute a sum. Each of them writes a partial sum. */
export const PARTIALS = 256;

const SHARED: ShaderSource = { name: 'fluid/shared.wgsl', text: shared };

export interface FluidKernelSource {
  readonly name: string;
  readonly source: ShaderSource;
  readonly modules?: readonly ShaderSource[];
  readonly entryPoint: string;
  readonly bindings: Bindings;
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly constants?: Readonly<Record<string, number | boolean>>;
}

export class FluidKernel {
  private constructor(private readonly kernel: Kernel) {}

  static async create(gpu: Gpu, dimensions: 2 | 3, source: FluidKernelSource): Promise<FluidKernel> {
    return new FluidKernel(await Kernel.create(gpu, describeFluidKernel(dimensions, source)));
  }

  bind({
    frame,
    ...buffers
  }: Readonly<Record<string, GPUBuffer | GPUBufferBinding | undefined>>): GPUBindGroup {
    if (!frame) return this.kernel.bind(buffers);
    return this.kernel.bind({ ...buffers, frame: { buffer: frame as GPUBuffer, size: FRAME_BYTES } });
  }

  /** `frame`: byte offset of the frame. Kernels without a frame ignore it. */
  encode(
    pass: GPUComputePassEncoder,
    group: GPUBindGroup,
    workgroups: number | CountedWorkgroups,
    frame: number,
  ): void {
    const { kernel } = this;
    const offsets = 'frame' in kernel.description.bindings ? [frame] : [];
    if (typeof workgroups === 'number') kernel.encode(pass, undefined, group, workgroups, offsets);
    else kernel.encodeCounted(pass, undefined, group, workgroups, offsets);
  }
}

export function describeFluidKernel(dimensions: 2 | 3, kernel: FluidKernelSource): KernelDescription {
  return {
    label: `fluid.${kernel.name}`,
    dimensions,
    standalone: true,
    bare: true,
    sources: [SHARED, ...(kernel.modules ?? []), kernel.source],
    entryPoint: kernel.entryPoint,
    bindings: kernel.bindings,
    ...(kernel.flags && { flags: kernel.flags }),
    constants: {
      DIMENSIONS: dimensions,
      STORED: dimensions === 2 ? 2 : 4,
      WORKGROUP,
      PARTIALS,
      MAX_OBSTACLES,
      MAX_DRAINS,
      COARSEST_ROUNDS,
      SMOOTHINGS,
      TILE,
      TAIL_LEAD: TAIL_LEAD[dimensions],
      MOST_LEVELS,
      AIR,
      FLUID,
      SOLID,
      NOT_A_NUMBER,
      ...constants,
      SUMS_ONLY: false,
      ...kernel.constants,
    },
  };
}
