/** Host of shaders/solve/resolve.wgsl: one Jacobi pass of the contact law, or one that only pushes apart. */
import obstacles from '../../../shaders/solve/obstacles.wgsl?raw';
import text from '../../../shaders/solve/resolve.wgsl?raw';
import type { BroadPhase } from '../../core/contact/settings';
import { type Gpu, isSoftware } from '../../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../../gpu/kernel';
import {
  CONTACT,
  CONTACT_LAW,
  EACH_HEAVY,
  EACH_PARTICLE,
  finerBinding,
  heavyBinding,
  neighbourFlags,
  neighbourModules,
  obstacleConstants,
  obstacleModules,
  splitsCrowds,
  type Variant,
  variantName,
  worldName,
} from '../modules';
import { ParticlePass } from '../particle-pass';

/** `pushApart` changes only positions. */
export type ResolveMode = 'respond' | 'pushApart';

export interface ResolveBuffers {
  readonly position_in: GPUBuffer;
  readonly position_out: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** These three are needed for `respond`. */
  readonly velocity_in?: GPUBuffer;
  readonly velocity_out?: GPUBuffer;
  readonly partner_in?: GPUBuffer;
  /** Needed in exact simulations. */
  readonly id_in?: GPUBuffer | undefined;
  /** Needed with crowds. */
  readonly crowd?: GPUBuffer | undefined;
  /** Needed with levels. */
  readonly finer?: GPUBuffer | undefined;
}

/**
 * In an exact simulation, a thread collects this many neighbours before it computes their contacts; see
 * solve/exact/resolve.wgsl. On software adapters, collecting gains nothing, and needs a second copy of the law, which
 * doubles the time to compile.
 */
export const MOST_WAITING = { gpu: 4, software: 1 } as const;

export class Resolve extends ParticlePass<ResolveBuffers> {
  static describe(
    variant: Variant,
    broadPhase: BroadPhase,
    mode: ResolveMode,
    heavy = false,
    waiting: number = MOST_WAITING.gpu,
  ): KernelDescription {
    const crowds = splitsCrowds(variant, broadPhase);
    return {
      label: `solve.resolve.${broadPhase}.${mode}${crowds ? variantName(variant) : worldName(variant)}${heavy ? '.heavy' : ''}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        ...obstacleModules(variant),
        ...(variant.exact?.resolve ?? [
          CONTACT,
          CONTACT_LAW,
          ...(variant.obstacles ? [{ name: 'solve/obstacles.wgsl', text: obstacles }] : []),
          { name: 'solve/resolve.wgsl', text },
        ]),
        ...(heavy ? EACH_HEAVY : [EACH_PARTICLE]),
      ],
      entryPoint: heavy ? 'each_heavy' : 'each_particle',
      bindings: {
        position_in: 'read array<PackedBody>',
        position_out: 'write array<PackedBody>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        ...(mode === 'respond'
          ? {
              velocity_in: 'read array<Stored>',
              velocity_out: 'write array<Stored>',
              partner_in: 'read array<u32>',
            }
          : {}),
        ...(variant.exact ? { id_in: 'read array<u32>' } : {}),
        ...finerBinding(variant),
        ...heavyBinding(variant, heavy),
      },
      flags: {
        ...neighbourFlags(variant, broadPhase, heavy),
        PUSH_APART: mode === 'pushApart',
      },
      constants: { ...obstacleConstants(variant), ...(variant.exact && { MOST_WAITING: waiting }) },
    };
  }

  static async create(
    gpu: Gpu,
    variant: Variant,
    broadPhase: BroadPhase,
    mode: ResolveMode,
    compilation?: Compilation,
  ): Promise<Resolve> {
    const waiting = MOST_WAITING[isSoftware(gpu.info) ? 'software' : 'gpu'];
    const [kernel, heavy] = await Promise.all([
      Kernel.create(gpu, Resolve.describe(variant, broadPhase, mode, false, waiting), compilation),
      splitsCrowds(variant, broadPhase)
        ? Kernel.create(gpu, Resolve.describe(variant, broadPhase, mode, true), compilation)
        : undefined,
    ]);
    return new Resolve(kernel, heavy);
  }
}
