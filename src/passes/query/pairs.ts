/** Host of shaders/query/pairs.wgsl: finds overlapping pairs. */
import text from '../../../shaders/query/pairs.wgsl?raw';
import { MARK_ROWS } from '../../core/base/constants';
import type { BroadPhase } from '../../core/contact/settings';
import type { Gpu } from '../../gpu/device';
import { type Compilation, Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { scanBytes } from '../grid/scan';
import {
  EACH_HEAVY,
  EACH_HEAVY_MARKED,
  EACH_PARTICLE,
  finerBinding,
  heavyBinding,
  neighbourFlags,
  neighbourModules,
  STRETCH,
  shapeModules,
  splitsCrowds,
  type Variant,
  variantName,
  worldName,
} from '../modules';
import { bindKernels, encodeKernels, type ParticleGroup } from '../particle-pass';
import type { ListStep } from './list-pass';

export interface PairsBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  /** For tally: the number of pairs per first id. */
  readonly tallies?: GPUBuffer;
  /** For fill: offsets per first id, then the end. */
  readonly offsets?: GPUBuffer;
  readonly pairs?: GPUBuffer;
  /** Needed with levels. */
  readonly finer?: GPUBuffer | undefined;
  /** The list of grid/crowd.ts. Needed with crowds. */
  readonly crowd?: GPUBuffer | undefined;
  /** The high corners of boxes; `position_in` holds the low ones. Needed for `box`. */
  readonly high_in?: GPUBuffer | undefined;
}

/** `ball`: overlapping particles of any shape. `box`: the boxes of BoxPairs. */
export type PairShape = 'ball' | 'box';

/**
 * Returns the size of the buffer of offsets. With crowds, mark rows (see MARK_ROWS) follow the offsets.
 * each_heavy_marked.wgsl computes from this size where the mark rows begin.
 */
export function offsetBytes(variant: Pick<Variant, 'crowds'>, owners: number): number {
  if (!variant.crowds) return scanBytes(owners + 1);
  const ids = 32 * Math.ceil(Math.max(1, owners) / 32);
  return 4 * (2 * ids + MARK_ROWS);
}

interface Kernels {
  readonly all: Kernel;
  readonly heavy: Kernel | undefined;
}

export class Pairs {
  private constructor(private readonly kernels: Readonly<Record<ListStep, Kernels>>) {}

  static describe(
    variant: Variant,
    broadPhase: BroadPhase,
    step: ListStep,
    shape: PairShape = 'ball',
    heavy = false,
  ): KernelDescription {
    const isBox = shape === 'box';
    const isFill = step === 'fill';
    const crowds = splitsCrowds(variant, broadPhase);
    const each = isFill ? EACH_HEAVY_MARKED : EACH_HEAVY;
    return {
      label: `measure.pairs.${broadPhase}.${step}${crowds ? variantName(variant) : worldName(variant)}${isBox ? '.box-pairs' : ''}${heavy ? '.heavy' : ''}`,
      dimensions: variant.dimensions,
      sources: [
        ...neighbourModules(variant, broadPhase),
        ...shapeModules(variant),
        ...(variant.exact?.contact ?? []),
        STRETCH,
        { name: 'query/pairs.wgsl', text },
        ...(heavy ? each : [EACH_PARTICLE]),
      ],
      entryPoint: heavy ? 'each_heavy' : 'each_particle',
      bindings: {
        position_in: 'read array<PackedBody>',
        id_in: 'read array<u32>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        ...(isFill
          ? { offsets: heavy ? 'write array<atomic<u32>>' : 'read array<u32>', pairs: 'write array<vec2u>' }
          : { tallies: 'write array<u32>' }),
        ...finerBinding(variant),
        ...heavyBinding(variant, heavy),
        ...(isBox ? { high_in: 'read array<Stored>' } : {}),
      },
      flags: {
        ...neighbourFlags(variant, broadPhase, heavy),
        FILL: isFill,
        BOXES: isBox,
        // A box is sorted by its low corner, so it reaches farther than a ball.
        WHOLE_BLOCKS: isBox,
      },
    };
  }

  static async create(
    gpu: Gpu,
    variant: Variant,
    broadPhase: BroadPhase,
    compilation?: Compilation,
    shape: PairShape = 'ball',
  ): Promise<Pairs> {
    const kernelOf = (step: ListStep, heavy: boolean) =>
      Kernel.create(gpu, Pairs.describe(variant, broadPhase, step, shape, heavy), compilation);
    const kernelsOf = async (step: ListStep): Promise<Kernels> => {
      const heavies = splitsCrowds(variant, broadPhase) ? kernelOf(step, true) : undefined;
      const [all, heavy] = await Promise.all([kernelOf(step, false), heavies]);
      return { all, heavy };
    };
    const [tally, fill] = await Promise.all([kernelsOf('tally'), kernelsOf('fill')]);
    return new Pairs({ tally, fill });
  }

  bind(step: ListStep, buffers: PairsBuffers): ParticleGroup {
    const { all, heavy } = this.kernels[step];
    return bindKernels(all, heavy, { ...buffers });
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: ListStep,
    group: ParticleGroup,
    count: number,
  ): void {
    const { all, heavy } = this.kernels[step];
    encodeKernels(all, heavy, pass, shared, group, count);
  }
}

/** Returns the pairs without holes. A hole has two equal ids. May overwrite `pairs`. */
export function withoutHoles(pairs: Uint32Array): Uint32Array {
  let end = 0;
  for (let index = 0; index < pairs.length; index += 2) {
    const first = pairs[index] as number;
    const second = pairs[index + 1] as number;
    if (first === second) continue;
    pairs[end++] = first;
    pairs[end++] = second;
  }
  return end === pairs.length ? pairs : pairs.slice(0, end);
}
