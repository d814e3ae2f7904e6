/**
 * Host of shaders/grid/guests.wgsl: for grids with levels, the particles of lower levels in each cell, as lists.
 * Owns the lists, with room for every particle on every level but its own, and for the heavy particles behind them.
 */
import text from '../../shaders/grid/guests.wgsl?raw';
import { GUEST_HEADER, WORKGROUP_SIZE } from '../core/constants';
import type { World } from '../core/world';
import { type BufferSet, createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { Kernel, type KernelDescription } from '../gpu/kernel';
import type { SharedBinding } from '../gpu/params';
import type { Crowd, CrowdBinding } from './crowd';
import { type Variant, worldFlags, worldModules, worldName } from './modules';

export interface GuestBuffers {
  readonly start: GPUBuffer;
  readonly counts: GPUBuffer;
  /** The list of crowds. */
  readonly crowd: GPUBuffer;
  /** As they are given, and in sorted order. */
  readonly given: GPUBuffer;
  readonly position_in: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
}

const STEPS = ['clear', 'note', 'list', 'order'] as const;
type Step = (typeof STEPS)[number];

export type GuestBinding = Readonly<Record<Step, GPUBindGroup>>;

const BINDINGS = {
  clear: { guests: 'write' },
  note: { guests: 'write', position_in: 'read' },
  list: {
    guests: 'write',
    start: 'read',
    counts: 'write',
    crowd: 'write',
    position_in: 'read',
    cell_of_slot: 'read',
  },
  order: { guests: 'write', start: 'read', counts: 'write' },
} as const;

export class Guests {
  private constructor(
    private readonly kernels: Readonly<Record<Step, Kernel>>,
    private readonly cellCount: number,
    private readonly owned: BufferSet<'guests' | 'scratch'>,
  ) {}

  static describe(variant: Variant, step: Step): KernelDescription {
    return {
      label: `grid.guests.${step}${worldName(variant)}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/guests.wgsl', text }],
      entryPoint: `${step}_guests`,
      bindings: BINDINGS[step],
      flags: {
        ...worldFlags(variant),
        CLEAR: step === 'clear',
        NOTE: step === 'note',
        LIST: step === 'list',
      },
    };
  }

  static async create(gpu: Gpu, world: World, capacity: number): Promise<Guests> {
    const kernels = await Promise.all(STEPS.map((step) => Kernel.create(gpu, Guests.describe(world, step))));
    const scratch = 4 * (GUEST_HEADER + (world.levels - 1) * capacity);
    const owned = await createBuffers(gpu, 'grid', { guests: scratch + 4 * capacity, scratch });
    const named = Object.fromEntries(STEPS.map((step, index) => [step, kernels[index]]));
    return new Guests(named as Record<Step, Kernel>, world.cellCount, owned);
  }

  /** A word of levels that anyone is on; then slots, by bucket; from the end down, the heavy particles. */
  get list(): GPUBuffer {
    return this.owned.buffers.guests;
  }

  /** As long as the guests: for crowds of them to be merged in. */
  get scratch(): GPUBuffer {
    return this.owned.buffers.scratch;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  bind({ start, counts, crowd, given, position_in, cell_of_slot }: GuestBuffers): GuestBinding {
    const guests = this.list;
    const { clear, note, list, order } = this.kernels;
    return {
      clear: clear.bind({ guests }),
      note: note.bind({ guests, position_in: given }),
      list: list.bind({ guests, start, counts, crowd, position_in, cell_of_slot }),
      order: order.bind({ guests, start, counts }),
    };
  }

  /** Before the count. */
  encodeLevels(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: GuestBinding,
    count: number,
  ): void {
    this.kernels.clear.encode(pass, shared, binding.clear, 1);
    this.kernels.note.encode(pass, shared, binding.note, Math.ceil(count / WORKGROUP_SIZE));
  }

  /** After the gather. `crowd` puts the crowded lists in order. */
  encode(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    binding: GuestBinding,
    count: number,
    crowd: Crowd,
    crowdBinding: CrowdBinding,
  ): void {
    const { list, order } = this.kernels;
    crowd.encodeClear(pass, shared, crowdBinding);
    list.encode(pass, shared, binding.list, Math.ceil(count / WORKGROUP_SIZE));
    crowd.encodeSort(pass, shared, crowdBinding, 'guests');
    order.encode(pass, shared, binding.order, Math.ceil(this.cellCount / WORKGROUP_SIZE));
    // The list of crowds is then that of the heavy particles.
    crowd.encodeClear(pass, shared, crowdBinding);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
