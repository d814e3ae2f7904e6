/** Host of shaders/grid/gather.wgsl: moves the state into canonical order. */
import text from '../../../shaders/grid/gather.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { type Variant, variantName, worldFlags, worldModules } from '../modules';
import { ParticlePass } from '../particle-pass';

export interface GatherBuffers {
  readonly entries: GPUBuffer;
  readonly start: GPUBuffer;
  readonly position_in: GPUBuffer;
  readonly position_out: GPUBuffer;
  readonly id_out: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** Both are needed with `velocities`. */
  readonly velocity_in?: GPUBuffer;
  readonly velocity_out?: GPUBuffer;
}

export class Gather extends ParticlePass<GatherBuffers> {
  static describe(variant: Variant, velocities: boolean): KernelDescription {
    return {
      label: `${velocities ? 'grid.gather.velocities' : 'grid.gather'}${variantName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/gather.wgsl', text }],
      entryPoint: 'gather',
      bindings: {
        entries: 'read array<vec2u>',
        start: 'read array<u32>',
        position_in: 'read array<PackedBody>',
        position_out: 'write array<PackedBody>',
        id_out: 'write array<u32>',
        cell_of_slot: 'write array<Cell>',
        ...(velocities ? { velocity_in: 'read array<Stored>', velocity_out: 'write array<Stored>' } : {}),
      },
      flags: { ...worldFlags(variant), VELOCITY: velocities, CROWDS: variant.crowds === true },
    };
  }

  static async create(gpu: Gpu, variant: Variant, velocities: boolean): Promise<Gather> {
    return new Gather(await Kernel.create(gpu, Gather.describe(variant, velocities)));
  }
}
