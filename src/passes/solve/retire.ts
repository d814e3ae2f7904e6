/** Host of shaders/solve/retire.wgsl: marks the particles to remove, so that the next sort puts them last. */
import text from '../../../shaders/solve/retire.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../../gpu/kernel';
import { bodyFlags, PARAMS, type Variant, worldName } from '../modules';
import { ParticlePass } from '../particle-pass';

export interface RetireBuffers {
  /** One bit per id: 1 to remove the particle. */
  readonly leaving: GPUBuffer;
  readonly position: GPUBuffer;
  readonly id: GPUBuffer;
}

type RetireVariant = Pick<Variant, 'dimensions' | 'levels' | 'boxes' | 'exact'>;

export class Retire extends ParticlePass<RetireBuffers> {
  static describe(variant: RetireVariant): KernelDescription {
    const { dimensions, levels, boxes, exact } = variant;
    return {
      label: `solve.retire${worldName({ dimensions, kind: 'bounded', levels, boxes, exact })}`,
      dimensions,
      sources: [PARAMS, { name: 'solve/retire.wgsl', text }],
      entryPoint: 'retire',
      bindings: {
        leaving: 'read array<u32>',
        position: 'write array<PackedBodyBits>',
        id: 'write array<u32>',
      },
      flags: bodyFlags(variant),
    };
  }

  static async create(gpu: Gpu, variant: RetireVariant, compilation?: Compilation): Promise<Retire> {
    return new Retire(await Kernel.create(gpu, Retire.describe(variant), compilation));
  }
}
