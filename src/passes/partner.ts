/** Host of shaders/solve/partner.wgsl: each particle's fastest approaching contact. */
import text from '../../shaders/solve/partner.wgsl?raw';
import type { BroadPhase } from '../core/settings';
import type { Dimensions } from '../core/world';
import type { Gpu } from '../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../gpu/kernel';
import { CONTACT, PARAMS, probeModule } from './modules';
import { ParticlePass } from './particle-pass';

export interface PartnerBuffers {
  readonly position_in: GPUBuffer;
  readonly velocity_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly partner_out: GPUBuffer;
}

export class Partner extends ParticlePass<PartnerBuffers> {
  static describe(dimensions: Dimensions, broadPhase: BroadPhase): KernelDescription {
    return {
      label: `solve.partner.${broadPhase}`,
      dimensions,
      sources: [PARAMS, CONTACT, probeModule(broadPhase), { name: 'solve/partner.wgsl', text }],
      entryPoint: 'partner',
      bindings: {
        position_in: 'read',
        velocity_in: 'read',
        start: 'read',
        cell_of_slot: 'read',
        partner_out: 'write',
      },
      flags: { FROZEN: true },
    };
  }

  static async create(
    gpu: Gpu,
    dimensions: Dimensions,
    broadPhase: BroadPhase,
    compilation?: Compilation,
  ): Promise<Partner> {
    return new Partner(await Kernel.create(gpu, Partner.describe(dimensions, broadPhase), compilation));
  }
}
