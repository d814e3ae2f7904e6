/** Host of shaders/grid/count.wgsl: counts particles per bucket, and gives each particle a rank in its bucket. */
import text from '../../../shaders/grid/count.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { finerBinding, type Variant, worldFlags, worldModules, worldName } from '../modules';
import { ParticlePass } from '../particle-pass';

export interface CountBuffers {
  readonly position_in: GPUBuffer;
  readonly counts: GPUBuffer;
  readonly ranks: GPUBuffer;
  /** Needed with levels in an unbounded world. */
  readonly start?: GPUBuffer | undefined;
  /** Needed with levels. */
  readonly finer?: GPUBuffer | undefined;
  /** Needed with `ids`. */
  readonly id_in?: GPUBuffer;
}

export class Count extends ParticlePass<CountBuffers> {
  static describe(variant: Variant, ids: boolean): KernelDescription {
    return {
      label: `${ids ? 'grid.count.ids' : 'grid.count'}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/count.wgsl', text }],
      entryPoint: 'count',
      bindings: {
        position_in: 'read array<PackedBody>',
        counts: 'write array<atomic<u32>>',
        ranks: 'write array<u32>',
        ...(variant.levels && variant.kind === 'unbounded' ? { start: 'read array<u32>' } : {}),
        ...finerBinding(variant),
        ...(ids ? { id_in: 'read array<u32>' } : {}),
      },
      flags: { ...worldFlags(variant), IDS: ids },
    };
  }

  static async create(gpu: Gpu, variant: Variant, ids: boolean): Promise<Count> {
    return new Count(await Kernel.create(gpu, Count.describe(variant, ids)));
  }
}
