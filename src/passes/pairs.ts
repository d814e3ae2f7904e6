/** Host of shaders/measure/pairs.wgsl: overlapping pairs, tallied by id, then written at scanned offsets. */
import text from '../../shaders/measure/pairs.wgsl?raw';
import { WORKGROUP_SIZE } from '../core/constants';
import type { BroadPhase } from '../core/settings';
import type { Gpu } from '../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';
import { EACH_PARTICLE, neighbourModules, type Variant, variantName } from './modules';

export type PairsStep = 'tally' | 'fill';

export interface PairsBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** tally: a count for each id. */
  readonly tallies?: GPUBuffer;
  /** fill: first place of each id, and of the id after it. */
  readonly offsets?: GPUBuffer;
  readonly pairs?: GPUBuffer;
}

export class Pairs {
  private constructor(private readonly kernels: Readonly<Record<PairsStep, Kernel>>) {}

  static describe(variant: Variant, broadPhase: BroadPhase, step: PairsStep): KernelDescription {
    return {
      label: `measure.pairs.${broadPhase}.${step}${variantName(variant)}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        { name: 'measure/pairs.wgsl', text },
        EACH_PARTICLE,
      ],
      entryPoint: 'each_particle',
      bindings: {
        position_in: 'read',
        id_in: 'read',
        start: 'read',
        cell_of_slot: 'read',
        ...(step === 'fill' ? { offsets: 'read', pairs: 'write' } : { tallies: 'write' }),
      },
      flags: { FROZEN: false, FILL: step === 'fill' },
    };
  }

  static async create(
    gpu: Gpu,
    variant: Variant,
    broadPhase: BroadPhase,
    compilation?: Compilation,
  ): Promise<Pairs> {
    const [tally, fill] = await Promise.all([
      Kernel.create(gpu, Pairs.describe(variant, broadPhase, 'tally'), compilation),
      Kernel.create(gpu, Pairs.describe(variant, broadPhase, 'fill'), compilation),
    ]);
    return new Pairs({ tally, fill });
  }

  bind(step: PairsStep, buffers: PairsBuffers): GPUBindGroup {
    return this.kernels[step].bind({ ...buffers });
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: PairsStep,
    group: GPUBindGroup,
    count: number,
  ): void {
    this.kernels[step].encode(pass, shared, group, Math.ceil(count / WORKGROUP_SIZE));
  }
}

/** A list without the places that fill found no pair for: nobody is a pair with itself, so two equal ids are none. */
export function withoutHoles(pairs: Uint32Array): Uint32Array {
  let end = 0;
  for (let place = 0; place < pairs.length; place += 2) {
    const first = pairs[place] as number;
    const second = pairs[place + 1] as number;
    if (first === second) continue;
    pairs[end++] = first;
    pairs[end++] = second;
  }
  return end === pairs.length ? pairs : pairs.slice(0, end);
}
