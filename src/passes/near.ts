/** Host of shaders/measure/near.wgsl: particles near points, tallied by point, then written at scanned offsets. */
import text from '../../shaders/measure/near.wgsl?raw';
import { WORKGROUP_SIZE } from '../core/constants';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';
import { EACH_POINT, neighbourModules, type Variant, variantName } from './modules';
import type { PairsStep } from './pairs';

export const NEAR_FIELDS = { reach_squared: 'f32', point_count: 'u32' } as const;

export interface NearBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly points: GPUBuffer;
  /** Slots of a UniformRing: NEAR_FIELDS. */
  readonly parameters: GPUBuffer;
  /** tally: a count for each point. */
  readonly tallies?: GPUBuffer;
  /** fill: first place of each point, and of the point after it. */
  readonly offsets?: GPUBuffer;
  readonly ids?: GPUBuffer;
}

export class Near {
  private constructor(private readonly kernels: Readonly<Record<PairsStep, Kernel>>) {}

  static describe(variant: Variant, step: PairsStep): KernelDescription {
    return {
      label: `measure.near.${step}${variantName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...neighbourModules(variant, 'grid'), { name: 'measure/near.wgsl', text }, EACH_POINT],
      entryPoint: 'each_point',
      bindings: {
        position_in: 'read',
        id_in: 'read',
        start: 'read',
        cell_of_slot: 'read',
        points: 'read',
        parameters: 'parameters',
        ...(step === 'fill' ? { offsets: 'read', ids: 'write' } : { tallies: 'write' }),
      },
      flags: { FROZEN: false, FILL: step === 'fill' },
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Near> {
    const [tally, fill] = await Promise.all([
      Kernel.create(gpu, Near.describe(variant, 'tally')),
      Kernel.create(gpu, Near.describe(variant, 'fill')),
    ]);
    return new Near({ tally, fill });
  }

  bind(step: PairsStep, buffers: NearBuffers): GPUBindGroup {
    return this.kernels[step].bind({ ...buffers });
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: PairsStep,
    group: GPUBindGroup,
    count: number,
    offset: number,
  ): void {
    this.kernels[step].encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE), [offset]);
  }
}
