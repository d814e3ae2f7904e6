/**
 * Host of shaders/grid/finer_entries.wgsl: lists the finer entries of each cell. Each entry stands for a particle that
 * is in the cell, and whose level is at least `FINER_STEPS` below the cell's level. If there are too few levels for
 * finer entries, the pass only sets the header and clears Crowd's list.
 */
import text from '../../../shaders/grid/finer_entries.wgsl?raw';
import { FINER_HEADER, FINER_STEPS, WORKGROUP_SIZE } from '../../core/base/constants';
import { finerBuckets } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { type Variant, worldFlags, worldModules, worldName } from '../modules';
import type { Crowd, CrowdBinding } from './crowd';

export interface FinerBuffers {
  readonly start: GPUBuffer;
  readonly counts: GPUBuffer;
  readonly crowd: GPUBuffer;
  /** Bodies in the order of the input. */
  readonly given: GPUBuffer;
  readonly position_in: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
}

const STEPS = ['clear', 'note', 'list', 'order'] as const;
type Step = (typeof STEPS)[number];

export type FinerBinding = Readonly<Record<Step, GPUBindGroup>>;

const BINDINGS = {
  clear: { finer: 'write array<u32>' },
  note: { finer: 'write array<atomic<u32>>', position_in: 'read array<PackedBody>' },
  list: {
    finer: 'write array<atomic<u32>>',
    start: 'read array<u32>',
    counts: 'write array<atomic<u32>>',
    crowd: 'write array<atomic<u32>>',
    position_in: 'read array<PackedBody>',
    cell_of_slot: 'read array<Cell>',
  },
  order: { finer: 'write array<u32>', start: 'read array<u32>', counts: 'write array<u32>' },
} as const;

/** heavy_words.wgsl has the layout: a word per particle, the number of heavy particles, a bit per slot. */
function heavyBytes(capacity: number): number {
  return 4 * (capacity + 1 + Math.ceil((capacity + 31) / 32));
}

export class FinerEntries {
  private constructor(
    private readonly kernels: Readonly<Record<Step, Kernel>>,
    private readonly buckets: number,
    private readonly owned: BufferSet<'finer' | 'scratch'>,
  ) {}

  static describe(variant: Variant, step: Step): KernelDescription {
    return {
      label: `grid.finer.${step}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/finer_entries.wgsl', text }],
      entryPoint: `${step}_finer`,
      bindings: BINDINGS[step],
      flags: {
        ...worldFlags(variant),
        ALL_LEVELS: step === 'clear' || step === 'note',
        CLEAR: step === 'clear',
        NOTE: step === 'note',
        LIST: step === 'list',
      },
    };
  }

  static async create(gpu: Gpu, world: World, capacity: number): Promise<FinerEntries> {
    const kernels = await Promise.all(
      STEPS.map((step) => Kernel.create(gpu, FinerEntries.describe(world, step))),
    );
    // Room for each particle on each level where it may have an entry.
    const scratch = 4 * (FINER_HEADER + Math.max(0, world.levels - FINER_STEPS) * capacity);
    const owned = await createBuffers(gpu, 'grid', {
      finer: scratch + heavyBytes(capacity),
      scratch,
    });
    const named = Object.fromEntries(STEPS.map((step, index) => [step, kernels[index]]));
    return new FinerEntries(named as Record<Step, Kernel>, finerBuckets(world), owned);
  }

  /** Layout: the header (see FINER_HEADER), then finer entries by bucket, then the words for heavy particles. */
  get list(): GPUBuffer {
    return this.owned.buffers.finer;
  }

  /** Room for sorting crowded lists. */
  get scratch(): GPUBuffer {
    return this.owned.buffers.scratch;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  bind({ start, counts, crowd, given, position_in, cell_of_slot }: FinerBuffers): FinerBinding {
    const finer = this.list;
    const { clear, note, list, order } = this.kernels;
    return {
      clear: clear.bind({ finer }),
      note: note.bind({ finer, position_in: given }),
      list: list.bind({ finer, start, counts, crowd, position_in, cell_of_slot }),
      order: order.bind({ finer, start, counts }),
    };
  }

  /** Notes which levels have particles. Record this before the pass of count.ts. */
  encodeLevels(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: FinerBinding,
    count: number,
  ): void {
    this.kernels.clear.encode(pass, shared, binding.clear, 1);
    if (this.buckets > 0) {
      this.kernels.note.encode(pass, shared, binding.note, Math.ceil(count / WORKGROUP_SIZE));
    }
  }

  /** Record this after the pass of gather.ts. `crowd` sorts crowded lists. */
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: FinerBinding,
    count: number,
    crowd: Crowd,
    crowdBinding: CrowdBinding,
  ): void {
    // Crowd's list held crowded buckets. Now it gets the crowded lists of finer entries, later the number of heavy
    // particles.
    crowd.encodeClear(pass, shared, crowdBinding);
    if (this.buckets === 0) return;
    const { list, order } = this.kernels;
    list.encode(pass, shared, binding.list, Math.ceil(count / WORKGROUP_SIZE));
    crowd.encodeSort(pass, shared, crowdBinding, 'finer');
    order.encode(pass, shared, binding.order, Math.ceil(this.buckets / WORKGROUP_SIZE));
    crowd.encodeClear(pass, shared, crowdBinding);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
