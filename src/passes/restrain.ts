/** Host of shaders/solve/restrain.wgsl: pushes kept short, where the paths of fast particles are followed. */
import text from '../../shaders/solve/restrain.wgsl?raw';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import { type Variant, worldFlags, worldModules, worldName } from './modules';
import { ParticlePass } from './particle-pass';

export interface RestrainBuffers {
  readonly position_in: GPUBuffer;
  readonly position_out: GPUBuffer;
}

export class Restrain extends ParticlePass<RestrainBuffers> {
  static describe(variant: Variant): KernelDescription {
    // Obstacles and crowds make no difference.
    const { dimensions, kind, levels, boxes } = variant;
    const own = { dimensions, kind, levels, boxes };
    return {
      label: `solve.restrain${worldName(own)}`,
      dimensions,
      sources: [...worldModules(own), { name: 'solve/restrain.wgsl', text }],
      entryPoint: 'restrain',
      bindings: { position_in: 'read', position_out: 'write' },
      flags: worldFlags(own),
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Restrain> {
    return new Restrain(await Kernel.create(gpu, Restrain.describe(variant), 'now'));
  }
}
