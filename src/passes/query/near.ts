/** Host of shaders/query/near.wgsl: finds the particles near points. */
import text from '../../../shaders/query/near.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { type Breadth, STRETCH, type Variant, worldFlags, worldName } from '../modules';
import { EACH_POINT, SORT_STRETCH, searchModules } from '../search-modules';
import { ListPass, type ListStep } from './list-pass';

export const NEAR_FIELDS = { reach_squared: 'f32', point_count: 'u32' } as const;

export interface NearBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly points: GPUBuffer;
  /** The buffer of a UniformRing with NEAR_FIELDS. */
  readonly parameters: GPUBuffer;
  /** For tally: the number of particles per point. */
  readonly tallies?: GPUBuffer;
  /** For fill: offsets per point, then the end. */
  readonly offsets?: GPUBuffer;
  readonly ids?: GPUBuffer;
}

export class Near extends ListPass<NearBuffers> {
  static describe(variant: Variant, step: ListStep, breadth: Breadth): KernelDescription {
    return {
      label: `measure.near.${step}${worldName(variant, breadth)}`,
      dimensions: variant.dimensions,
      sources: [
        ...searchModules(variant, breadth),
        STRETCH,
        ...(step === 'fill' ? [SORT_STRETCH] : []),
        { name: 'query/near.wgsl', text },
        EACH_POINT,
      ],
      entryPoint: 'each_point',
      bindings: {
        position_in: 'read array<PackedBody>',
        id_in: 'read array<u32>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        points: 'read array<PackedBody>',
        parameters: 'parameters Near',
        ...(step === 'fill'
          ? { offsets: 'read array<u32>', ids: 'write array<u32>' }
          : { tallies: 'write array<u32>' }),
      },
      flags: { ...worldFlags(variant), FILL: step === 'fill' },
    };
  }

  static async create(gpu: Gpu, variant: Variant, breadth: Breadth): Promise<Near> {
    const [tally, fill] = await Promise.all([
      Kernel.create(gpu, Near.describe(variant, 'tally', breadth)),
      Kernel.create(gpu, Near.describe(variant, 'fill', breadth)),
    ]);
    return new Near({ tally, fill });
  }
}
