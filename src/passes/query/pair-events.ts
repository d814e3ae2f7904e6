/**
 * Host of shaders/query/pair_events.wgsl and keep_pairs.wgsl: lists the pairs that began, stayed and ended, then keeps
 * the new list for the next comparison.
 */
import keepText from '../../../shaders/query/keep_pairs.wgsl?raw';
import text from '../../../shaders/query/pair_events.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import type { Dimensions } from '../../core/world/world';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { PARAMS, STRETCH } from '../modules';

export const EVENT_KINDS = ['begun', 'stayed', 'ended'] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

type EventStep = 'tally' | EventKind | 'keep';

const STEPS: readonly EventStep[] = ['tally', ...EVENT_KINDS, 'keep'];

export interface PairEventsBuffers {
  readonly offsets: GPUBuffer | GPUBufferBinding;
  readonly pairs: GPUBuffer;
  /** The previous list, in buffers as long as `offsets` and `pairs`. */
  readonly offsets_before: GPUBuffer;
  readonly pairs_before: GPUBuffer;
  /** For tally and keep: the numbers of pairs found and listed. */
  readonly count?: GPUBuffer;
  /** For tally: the numbers of begun, stayed and ended pairs per first id. */
  readonly begun?: GPUBuffer;
  readonly stayed?: GPUBuffer;
  readonly ended?: GPUBuffer;
  /** For begun, stayed and ended: the first event of each first id, and the list to write. */
  readonly event_offsets?: GPUBuffer;
  readonly events?: GPUBuffer;
}

export class PairEventsPass {
  private constructor(private readonly kernels: Readonly<Record<EventStep, Kernel>>) {}

  static describe(dimensions: Dimensions): KernelDescription[] {
    return STEPS.map((step) => ({
      label: `measure.pair-events.${step}`,
      dimensions,
      sources: [
        PARAMS,
        STRETCH,
        step === 'keep'
          ? { name: 'query/keep_pairs.wgsl', text: keepText }
          : { name: 'query/pair_events.wgsl', text },
      ],
      entryPoint: step === 'keep' ? 'keep' : 'compare',
      bindings: {
        offsets: 'read array<u32>',
        pairs: 'read array<vec2u>',
        offsets_before: `${step === 'keep' ? 'write' : 'read'} array<u32>`,
        pairs_before: `${step === 'keep' ? 'write' : 'read'} array<vec2u>`,
        ...(step === 'keep' || step === 'tally'
          ? { count: 'read array<u32>' }
          : { event_offsets: 'read array<u32>', events: 'write array<vec2u>' }),
        ...(step === 'tally'
          ? { begun: 'write array<u32>', stayed: 'write array<u32>', ended: 'write array<u32>' }
          : {}),
      },
      flags: {
        TALLY: step === 'tally',
        BEGUN: step === 'begun',
        STAYED: step === 'stayed',
      },
    }));
  }

  static async create(gpu: Gpu, dimensions: Dimensions): Promise<PairEventsPass> {
    const kernels = await Promise.all(
      PairEventsPass.describe(dimensions).map((description) => Kernel.create(gpu, description)),
    );
    const named = Object.fromEntries(STEPS.map((step, index) => [step, kernels[index]]));
    return new PairEventsPass(named as Record<EventStep, Kernel>);
  }

  bind(step: EventStep, buffers: PairEventsBuffers): GPUBindGroup {
    return this.kernels[step].bind({ ...buffers });
  }

  /** `offsets` must be at least the number of offsets in a list of pairs: one per possible first id, and the end. */
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    step: EventStep,
    group: GPUBindGroup,
    offsets: number,
  ): void {
    this.kernels[step].encode(pass, shared, group, Math.ceil(offsets / WORKGROUP_SIZE));
  }
}
