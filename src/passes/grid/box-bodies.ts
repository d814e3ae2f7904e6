/**
 * Host of shaders/grid/box_bodies.wgsl: turns boxes into bodies of a grid with levels, and counts the boxes that it
 * refuses.
 */
import text from '../../../shaders/grid/box_bodies.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { type Variant, worldFlags, worldModules, worldName } from '../modules';
import { ParticlePass } from '../particle-pass';

/** Words of `refused`: the number of invalid boxes, then of too large boxes. */
export const REFUSED_WORDS = 2;

export interface BoxBodiesBuffers {
  /** Per box, the low corner, then the high corner. */
  readonly boxes: GPUBuffer;
  readonly bodies: GPUBuffer;
  readonly high_out: GPUBuffer;
  /** Must be zero before the pass. */
  readonly refused: GPUBuffer;
}

export class BoxBodies extends ParticlePass<BoxBodiesBuffers> {
  static describe(variant: Variant): KernelDescription {
    return {
      label: `grid.box-bodies${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/box_bodies.wgsl', text }],
      entryPoint: 'make_bodies',
      bindings: {
        boxes: 'read array<Stored>',
        bodies: 'write array<PackedBody>',
        high_out: 'write array<Stored>',
        refused: 'write array<atomic<u32>>',
      },
      flags: { ...worldFlags(variant), ALL_LEVELS: true },
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<BoxBodies> {
    return new BoxBodies(await Kernel.create(gpu, BoxBodies.describe(variant)));
  }
}
