/** Host of shaders/solve/partner.wgsl: each particle's fastest approaching contact. */
import text from '../../shaders/solve/partner.wgsl?raw';
import type { BroadPhase } from '../core/settings';
import type { Gpu } from '../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../gpu/kernel';
import { CONTACT, EACH_PARTICLE, neighbourModules, type Variant, variantName } from './modules';
import { ParticlePass } from './particle-pass';

export interface PartnerBuffers {
  readonly position_in: GPUBuffer;
  readonly velocity_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly partner_out: GPUBuffer;
}

export class Partner extends ParticlePass<PartnerBuffers> {
  static describe(variant: Variant, broadPhase: BroadPhase): KernelDescription {
    return {
      label: `solve.partner.${broadPhase}${variantName(variant)}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        CONTACT,
        { name: 'solve/partner.wgsl', text },
        EACH_PARTICLE,
      ],
      entryPoint: 'each_particle',
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
    variant: Variant,
    broadPhase: BroadPhase,
    compilation?: Compilation,
  ): Promise<Partner> {
    return new Partner(await Kernel.create(gpu, Partner.describe(variant, broadPhase), compilation));
  }
}
