/** Host of shaders/solve/integrate.wgsl: advance, and where all radii are equal, count where particles arrive. */
import text from '../../shaders/solve/integrate.wgsl?raw';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import { type Variant, worldFlags, worldModules, worldName } from './modules';
import { ParticlePass } from './particle-pass';

export interface IntegrateBuffers {
  readonly position: GPUBuffer;
  readonly velocity: GPUBuffer;
  /** Not needed where the variant has levels. */
  readonly counts: GPUBuffer;
  readonly ranks: GPUBuffer;
  readonly id_in: GPUBuffer;
}

export class Integrate extends ParticlePass<IntegrateBuffers> {
  static describe(variant: Variant): KernelDescription {
    return {
      label: `solve.integrate${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'solve/integrate.wgsl', text }],
      entryPoint: 'integrate',
      bindings: {
        position: 'write',
        velocity: 'write',
        ...(variant.levels ? {} : { counts: 'write', ranks: 'write', id_in: 'read' }),
      },
      flags: worldFlags(variant),
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Integrate> {
    return new Integrate(await Kernel.create(gpu, Integrate.describe(variant)));
  }
}
