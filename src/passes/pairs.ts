/** Host of shaders/measure/pairs.wgsl: overlapping pairs, tallied by id, then written at scanned offsets. */
import text from '../../shaders/measure/pairs.wgsl?raw';
import type { BroadPhase } from '../core/settings';
import type { Gpu } from '../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../gpu/kernel';
import { ListPass, type ListStep } from './list-pass';
import {
  EACH_PARTICLE,
  guestBinding,
  neighbourModules,
  STRETCH,
  shapeModules,
  type Variant,
  worldFlags,
  worldName,
} from './modules';

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
  /** Needed where the variant has levels. */
  readonly guests?: GPUBuffer | undefined;
  /** Of boxes, the high corners; positions are the low ones. */
  readonly high_in?: GPUBuffer | undefined;
}

/** What overlaps: balls around particles, or boxes of a grid with levels. */
export type PairShape = 'ball' | 'box';

export class Pairs extends ListPass<PairsBuffers> {
  static describe(
    variant: Variant,
    broadPhase: BroadPhase,
    step: ListStep,
    shape: PairShape = 'ball',
  ): KernelDescription {
    const isBox = shape === 'box';
    return {
      label: `measure.pairs.${broadPhase}.${step}${worldName(variant)}${isBox ? '.boxes' : ''}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        ...shapeModules(variant),
        STRETCH,
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
        ...guestBinding(variant),
        ...(isBox ? { high_in: 'read' } : {}),
      },
      flags: { ...worldFlags(variant), FROZEN: false, FILL: step === 'fill', BOXES: isBox },
    };
  }

  static async create(
    gpu: Gpu,
    variant: Variant,
    broadPhase: BroadPhase,
    compilation?: Compilation,
    shape: PairShape = 'ball',
  ): Promise<Pairs> {
    const [tally, fill] = await Promise.all([
      Kernel.create(gpu, Pairs.describe(variant, broadPhase, 'tally', shape), compilation),
      Kernel.create(gpu, Pairs.describe(variant, broadPhase, 'fill', shape), compilation),
    ]);
    return new Pairs({ tally, fill });
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
