/**
 * Host of shaders/query/boxes.wgsl: finds the particles in boxes. A thread searches a box of few cells. Tally queues
 * larger boxes; a workgroup searches each of them.
 */
import text from '../../../shaders/query/boxes.wgsl?raw';
import { LOOPING_WORKGROUPS } from '../../core/base/constants';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { STRETCH, type Variant, worldFlags, worldName } from '../modules';
import { SORT_STRETCH, segmentModules } from '../search-modules';
import { ListPass, type ListStep } from './list-pass';

export const BOXES_FIELDS = { box_count: 'u32' } as const;

/** Words of the queue before its boxes: three arguments of an indirect dispatch, then the number of boxes. */
const QUEUE_HEADER = 4;

export const BOX_SEARCHERS = ['alone', 'together'] as const;
export type BoxSearcher = (typeof BOX_SEARCHERS)[number];

export interface BoxesBuffers {
  readonly position_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
  readonly boxes: GPUBuffer;
  /** The buffer of a UniformRing with BOXES_FIELDS. */
  readonly parameters: GPUBuffer;
  /** `queueBytes` bytes with usage INDIRECT. Its first QUEUE_HEADER words must be zero before a search. */
  readonly queue: GPUBuffer;
  /** For tally: the number of particles per box. */
  readonly tallies?: GPUBuffer;
  /** For fill: offsets per box, then the end. */
  readonly offsets?: GPUBuffer;
  readonly ids?: GPUBuffer;
}

export interface BoxesBinding {
  readonly alone: GPUBindGroup;
  readonly together: GPUBindGroup;
  readonly queue: GPUBuffer;
}

export function queueBytes(boxes: number): number {
  return 4 * (QUEUE_HEADER + boxes);
}

export class Boxes {
  private constructor(
    private readonly alone: ListPass<BoxesBuffers>,
    private readonly together: Readonly<Record<ListStep, Kernel>>,
  ) {}

  static describe(variant: Variant, step: ListStep, searcher: BoxSearcher): KernelDescription {
    const isTogether = searcher === 'together';
    const isFill = step === 'fill';
    const queue = isTogether
      ? ({ queue: 'read array<u32>' } as const)
      : isFill
        ? {}
        : ({ queue: 'write array<atomic<u32>>' } as const);
    return {
      label: `measure.boxes.${step}-${searcher}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [
        ...segmentModules(variant),
        STRETCH,
        ...(isFill && !isTogether ? [SORT_STRETCH] : []),
        { name: 'query/boxes.wgsl', text },
      ],
      entryPoint: isTogether ? 'search_together' : 'search_alone',
      bindings: {
        position_in: 'read array<PackedBody>',
        id_in: 'read array<u32>',
        start: 'read array<u32>',
        cell_of_slot: 'read array<Cell>',
        boxes: 'read array<Stored>',
        parameters: 'parameters Boxes',
        ...(isFill
          ? { offsets: 'read array<u32>', ids: 'write array<u32>' }
          : { tallies: 'write array<u32>' }),
        ...queue,
      },
      flags: { ...worldFlags(variant), FILL: isFill, MANY: isTogether, QUEUE: !isFill && !isTogether },
      constants: { QUEUE_HEADER },
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Boxes> {
    const create = (step: ListStep, searcher: BoxSearcher) =>
      Kernel.create(gpu, Boxes.describe(variant, step, searcher));
    const [tally, fill, tallyTogether, fillTogether] = await Promise.all([
      create('tally', 'alone'),
      create('fill', 'alone'),
      create('tally', 'together'),
      create('fill', 'together'),
    ]);
    return new Boxes(new ListPass({ tally, fill }), { tally: tallyTogether, fill: fillTogether });
  }

  bind(step: ListStep, buffers: BoxesBuffers): BoxesBinding {
    return {
      alone: this.alone.bind(step, buffers),
      together: this.together[step].bind({ ...buffers }),
      queue: buffers.queue,
    };
  }

  /** Record it before a search. */
  static clear(encoder: GPUCommandEncoder, queue: GPUBuffer): void {
    encoder.clearBuffer(queue, 0, 4 * QUEUE_HEADER);
  }

  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: ListStep,
    binding: BoxesBinding,
    count: number,
    offsets: readonly number[],
  ): void {
    this.alone.encode(pass, shared, step, binding.alone, count, offsets);
    const workgroups = { buffer: binding.queue, offset: 0, most: Math.min(count, LOOPING_WORKGROUPS) };
    this.together[step].encodeCounted(pass, shared, binding.together, workgroups, offsets);
  }
}
