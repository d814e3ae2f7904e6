/**
 * Host of shaders/grid/merge_levels.wgsl: decides how many of the lowest levels of an unbounded world are merged.
 * Twin: src/core/world/merged-levels.ts.
 */
import text from '../../../shaders/grid/merge_levels.wgsl?raw';
import { WORKGROUP_SIZE } from '../../core/base/constants';
import { cellBytes } from '../../core/world/cells';
import { sampleRoom } from '../../core/world/merged-levels';
import { MAX_LEVELS, type World } from '../../core/world/world';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { SharedBinding } from '../../gpu/params';
import { type Variant, worldFlags, worldModules } from '../modules';

export interface MergeBuffers {
  /** Bodies in the order of the input. */
  readonly given: GPUBuffer;
  readonly start: GPUBuffer;
  readonly finer: GPUBuffer;
}

export const MERGE_STEPS = ['sample', 'compare', 'settle'] as const;
type Step = (typeof MERGE_STEPS)[number];

export type MergeBinding = Readonly<Record<Step, GPUBindGroup>>;

const ENTRY_POINTS: Readonly<Record<Step, string>> = {
  sample: 'sample_particles',
  compare: 'compare_sample',
  settle: 'settle_levels',
};

/**
 * Particles of the grid per thread that compares the sample. Each thread begins with several integer divisions, which
 * take long on software GPUs.
 */
const PARTICLES_PER_THREAD = 8;

const COUNTED = { shared_cells: 'write array<atomic<u32>>' } as const;

const BINDINGS = {
  sample: { ...COUNTED, sample: 'write array<Cell>', position_in: 'read array<PackedBody>' },
  compare: { ...COUNTED, sample: 'read array<Cell>' },
  settle: {
    shared_cells: 'write array<u32>',
    sample: 'read array<Cell>',
    finer: 'write array<u32>',
    start: 'write array<u32>',
  },
} as const;

export class MergeLevels {
  private constructor(
    private readonly kernels: Readonly<Record<Step, Kernel>>,
    /** The number of cells that the sample may have. */
    private readonly room: number,
    private readonly owned: BufferSet<'sample' | 'shared_cells'>,
  ) {}

  static describe(variant: Variant, step: Step): KernelDescription {
    return {
      label: `grid.merge.${step}${variant.boxes ? '.boxes' : ''}`,
      dimensions: variant.dimensions,
      sources: [...worldModules(variant), { name: 'grid/merge_levels.wgsl', text }],
      entryPoint: ENTRY_POINTS[step],
      bindings: BINDINGS[step],
      flags: {
        ...worldFlags(variant),
        ALL_LEVELS: true,
        SAMPLE: step === 'sample',
        COMPARE: step === 'compare',
      },
    };
  }

  static async create(gpu: Gpu, world: World): Promise<MergeLevels> {
    const kernels = await Promise.all(
      MERGE_STEPS.map((step) => Kernel.create(gpu, MergeLevels.describe(world, step))),
    );
    const room = sampleRoom(world.levelStarts[1] as number);
    const owned = await createBuffers(gpu, 'grid', {
      sample: cellBytes(world) * room,
      shared_cells: 4 * (1 + MAX_LEVELS),
    });
    const named = Object.fromEntries(MERGE_STEPS.map((step, index) => [step, kernels[index]]));
    return new MergeLevels(named as Record<Step, Kernel>, room, owned);
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  bind({ given, start, finer }: MergeBuffers): MergeBinding {
    const { sample, shared_cells } = this.owned.buffers;
    return {
      sample: this.kernels.sample.bind({ shared_cells, sample, position_in: given }),
      compare: this.kernels.compare.bind({ shared_cells, sample }),
      settle: this.kernels.settle.bind({ shared_cells, sample, finer, start }),
    };
  }

  /** Record it after FinerEntries noted the levels, and before the count. */
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: MergeBinding, count: number): void {
    const workgroups = Math.ceil(count / WORKGROUP_SIZE);
    this.kernels.sample.encode(pass, shared, binding.sample, workgroups);
    const threads = Math.max(this.room, count / PARTICLES_PER_THREAD);
    this.kernels.compare.encode(pass, shared, binding.compare, Math.ceil(threads / WORKGROUP_SIZE));
    this.kernels.settle.encode(pass, shared, binding.settle, 1);
  }

  destroy(): void {
    this.owned.destroy();
  }
}
