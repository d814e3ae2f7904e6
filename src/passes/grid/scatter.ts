/** Host of shaders/grid/scatter.wgsl: groups entries (slot and id) by bucket. */
import text from '../../../shaders/grid/scatter.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { type Variant, variantName, worldFlags, worldModules } from '../modules';
import { ParticlePass } from '../particle-pass';

export interface ScatterBuffers {
  readonly position_in: GPUBuffer;
  readonly ranks: GPUBuffer;
  readonly start: GPUBuffer;
  readonly entries: GPUBuffer;
  /** Needed with crowds. */
  readonly crowd?: GPUBuffer | undefined;
  /** Needed with crowds and levels. */
  readonly finer?: GPUBuffer | undefined;
  /** Needed with `ids`. */
  readonly id_in?: GPUBuffer;
}

export class Scatter extends ParticlePass<ScatterBuffers> {
  static describe(variant: Variant, ids: boolean): KernelDescription {
    return {
      label: `${ids ? 'grid.scatter.ids' : 'grid.scatter'}${variantName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/scatter.wgsl', text }],
      entryPoint: 'scatter',
      bindings: {
        position_in: 'read array<PackedBody>',
        ranks: 'read array<u32>',
        start: 'read array<u32>',
        entries: 'write array<vec2u>',
        ...(variant.crowds
          ? {
              crowd: 'write array<atomic<u32>>',
              ...(variant.levels ? { finer: 'write array<atomic<u32>>' } : {}),
            }
          : {}),
        ...(ids ? { id_in: 'read array<u32>' } : {}),
      },
      flags: { ...worldFlags(variant), IDS: ids, CROWDS: variant.crowds === true },
    };
  }

  static async create(gpu: Gpu, variant: Variant, ids: boolean): Promise<Scatter> {
    return new Scatter(await Kernel.create(gpu, Scatter.describe(variant, ids)));
  }
}
