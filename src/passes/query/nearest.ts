/** Host of shaders/query/nearest.wgsl: finds the k particles nearest to each point. */
import text from '../../../shaders/query/nearest.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { type Breadth, type Variant, worldFlags, worldName } from '../modules';
import { EACH_POINT, searchModules } from '../search-modules';

export const NEAREST_FIELDS = {
  reach_squared: 'f32',
  point_count: 'u32',
  k: 'u32',
  without_self: 'u32',
} as const;

export interface NearestBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly points: GPUBuffer;
  /** The buffer of a UniformRing with NEAREST_FIELDS. */
  readonly parameters: GPUBuffer;
  /** `ids` and `distances_squared` have k entries per point. */
  readonly ids: GPUBuffer;
  readonly distances_squared: GPUBuffer;
}

export class Nearest {
  private constructor(private readonly kernel: Kernel) {}

  static describe(variant: Variant, breadth: Breadth): KernelDescription {
    return {
      label: `measure.nearest${worldName(variant, breadth)}`,
      dimensions: variant.dimensions,
      sources: [...searchModules(variant, breadth), { name: 'query/nearest.wgsl', text }, EACH_POINT],
      entryPoint: 'each_point',
      bindings: {
        position_in: 'read array<PackedBody>',
        id_in: 'read array<u32>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        points: 'read array<PackedBody>',
        parameters: 'parameters Nearest',
        ids: 'write array<u32>',
        distances_squared: 'write array<u32>',
      },
      flags: { ...worldFlags(variant) },
    };
  }

  static async create(gpu: Gpu, variant: Variant, breadth: Breadth): Promise<Nearest> {
    return new Nearest(await Kernel.create(gpu, Nearest.describe(variant, breadth)));
  }

  bind(buffers: NearestBuffers): GPUBindGroup {
    return this.kernel.bind({ ...buffers });
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    group: GPUBindGroup,
    count: number,
    offset: number,
  ): void {
    this.kernel.encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE), [offset]);
  }
}
