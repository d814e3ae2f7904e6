/** Host of shaders/solve/partner.wgsl: finds each particle's fastest approaching contact. */
import text from '../../../shaders/solve/partner.wgsl?raw';
import type { BroadPhase } from '../../core/contact/settings';
import type { Gpu } from '../../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../../gpu/kernel';
import {
  CONTACT,
  EACH_HEAVY,
  EACH_PARTICLE,
  finerBinding,
  heavyBinding,
  neighbourFlags,
  neighbourModules,
  splitsCrowds,
  type Variant,
  variantName,
  worldName,
} from '../modules';
import { ParticlePass } from '../particle-pass';

export interface PartnerBuffers {
  readonly position_in: GPUBuffer;
  readonly velocity_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly partner_out: GPUBuffer;
  /** Needed in exact simulations. */
  readonly id_in?: GPUBuffer | undefined;
  /** Needed with crowds. */
  readonly crowd?: GPUBuffer | undefined;
  /** Needed with levels. */
  readonly finer?: GPUBuffer | undefined;
}

export class Partner extends ParticlePass<PartnerBuffers> {
  static describe(given: Variant, broadPhase: BroadPhase, heavy = false): KernelDescription {
    // An obstacle is never a partner: bounces off obstacles need none.
    const variant = { ...given, obstacles: false };
    const crowds = splitsCrowds(variant, broadPhase);
    return {
      label: `solve.partner.${broadPhase}${crowds ? variantName(variant) : worldName(variant)}${heavy ? '.heavy' : ''}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        ...(variant.exact?.partner ?? [CONTACT, { name: 'solve/partner.wgsl', text }]),
        ...(heavy ? EACH_HEAVY : [EACH_PARTICLE]),
      ],
      entryPoint: heavy ? 'each_heavy' : 'each_particle',
      bindings: {
        position_in: 'read array<PackedBody>',
        velocity_in: 'read array<Stored>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        partner_out: 'write array<u32>',
        ...(variant.exact ? { id_in: 'read array<u32>' } : {}),
        ...finerBinding(variant),
        ...heavyBinding(variant, heavy),
      },
      flags: neighbourFlags(variant, broadPhase, heavy),
    };
  }

  static async create(
    gpu: Gpu,
    variant: Variant,
    broadPhase: BroadPhase,
    compilation?: Compilation,
  ): Promise<Partner> {
    const [kernel, heavy] = await Promise.all([
      Kernel.create(gpu, Partner.describe(variant, broadPhase), compilation),
      splitsCrowds(variant, broadPhase)
        ? Kernel.create(gpu, Partner.describe(variant, broadPhase, true), compilation)
        : undefined,
    ]);
    return new Partner(kernel, heavy);
  }
}
