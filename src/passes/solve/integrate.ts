/** Host of shaders/solve/integrate.wgsl: moves particles, and counts them per bucket unless another pass does. */
import text from '../../../shaders/solve/integrate.wgsl?raw';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { type Variant, worldFlags, worldModules, worldName } from '../modules';
import { ParticlePass } from '../particle-pass';

export interface IntegrateBuffers {
  readonly position: GPUBuffer;
  readonly velocity: GPUBuffer;
  /** These three are needed if this pass counts. */
  readonly counts?: GPUBuffer;
  readonly ranks?: GPUBuffer;
  readonly id_in?: GPUBuffer;
}

export class Integrate extends ParticlePass<IntegrateBuffers> {
  /** `counts` must be false if another pass moves particles before the sort. With levels, this pass never counts. */
  static describe(variant: Variant, counts = true): KernelDescription {
    const counting = counts && !variant.levels;
    return {
      label: `solve.integrate${counts ? '' : '.alone'}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [
        ...worldModules(variant),
        ...(variant.exact?.integrate ?? [{ name: 'solve/integrate.wgsl', text }]),
      ],
      entryPoint: 'integrate',
      bindings: {
        position: variant.exact ? 'write array<PackedBody>' : 'write array<PackedBodyBits>',
        velocity: 'write array<Stored>',
        ...(counting
          ? { counts: 'write array<atomic<u32>>', ranks: 'write array<u32>', id_in: 'read array<u32>' }
          : {}),
      },
      flags: { ...worldFlags(variant), ALL_LEVELS: true, COUNT: counting },
    };
  }

  static async create(gpu: Gpu, variant: Variant, counts = true): Promise<Integrate> {
    return new Integrate(await Kernel.create(gpu, Integrate.describe(variant, counts)));
  }
}
