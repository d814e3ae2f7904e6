/**
 * The counting sort of particles into cells: count, scan, scatter, gather. It owns the counts, starts, ranks and
 * entries; the caller owns the state. A rank is a particle's number in its bucket. An entry holds a particle's slot in
 * the input, and its id.
 */
import { cellBytes, firstObstacle, mergesLevels, startLength } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { Stage } from '../../gpu/stage';
import { Count } from '../../passes/grid/count';
import { Crowd, type CrowdBinding } from '../../passes/grid/crowd';
import { type FinerBinding, FinerEntries } from '../../passes/grid/finer-entries';
import { Gather } from '../../passes/grid/gather';
import type { MergeBinding, MergeLevels } from '../../passes/grid/merge-levels';
import { Scan, type ScanBinding, scanBytes } from '../../passes/grid/scan';
import { Scatter } from '../../passes/grid/scatter';
import type { ParticleGroup } from '../../passes/particle-pass';

export interface SortState {
  readonly position: GPUBuffer;
  readonly velocity?: GPUBuffer | undefined;
  /** If there are no ids, a particle's id is its index in the input. */
  readonly id?: GPUBuffer | undefined;
}

export interface SortBinding {
  readonly count: ParticleGroup;
  readonly scatter: ParticleGroup;
  readonly gather: ParticleGroup;
  readonly crowd: CrowdBinding | undefined;
  readonly finer: FinerBinding | undefined;
  readonly merge: MergeBinding | undefined;
}

export interface CellSortOptions {
  readonly ids: boolean;
  readonly velocities: boolean;
  /** Bytes behind the starts, where obstacles are stored. */
  readonly behindStarts?: number | undefined;
}

/** Loads the module only when it is needed: most programs have no variable radii in unbounded worlds. */
async function createMerge(gpu: Gpu, world: World): Promise<MergeLevels> {
  const { MergeLevels } = await import('../../passes/grid/merge-levels');
  return MergeLevels.create(gpu, world);
}

export class CellSort {
  private constructor(
    private readonly passes: { count: Count; scan: Scan; scatter: Scatter; gather: Gather },
    private readonly owned: BufferSet<'counts' | 'start' | 'ranks' | 'entries'>,
    private readonly scanBinding: ScanBinding,
    private readonly crowd: Crowd | undefined,
    private readonly finer: FinerEntries | undefined,
    private readonly merge: MergeLevels | undefined,
  ) {}

  static async create(gpu: Gpu, world: World, capacity: number, options: CellSortOptions): Promise<CellSort> {
    const { dimensions } = world;
    const [count, scan, scatter, gather] = await Promise.all([
      Count.create(gpu, world, options.ids),
      Scan.create(gpu, dimensions),
      Scatter.create(gpu, world, options.ids),
      Gather.create(gpu, world, options.velocities),
    ]);
    const bytes = scanBytes(startLength(world));
    const { owned, crowd, finer, merge } = await createParts({
      owned: createBuffers(gpu, 'grid', {
        counts: bytes,
        start: 4 * firstObstacle(world) + (options.behindStarts ?? 0),
        // The buffer holds ranks until the scatter has read them. Then the gather stores the cell of each slot in it.
        ranks: cellBytes(world) * capacity,
        entries: 8 * capacity,
      }),
      crowd: world.crowds ? Crowd.create(gpu, world, capacity) : Promise.resolve(undefined),
      finer: world.levels > 0 ? FinerEntries.create(gpu, world, capacity) : Promise.resolve(undefined),
      merge: mergesLevels(world) ? createMerge(gpu, world) : Promise.resolve(undefined),
    });
    try {
      const scanBinding = await scan.bind(owned.buffers.counts, owned.buffers.start, startLength(world));
      return new CellSort({ count, scan, scatter, gather }, owned, scanBinding, crowd, finer, merge);
    } catch (error) {
      owned.destroy();
      crowd?.destroy();
      finer?.destroy();
      merge?.destroy();
      throw error;
    }
  }

  /**
   * One counter per bucket, zero between sorts. A pass that counts instead of this sort adds to the counters and writes
   * the ranks.
   */
  get counts(): GPUBuffer {
    return this.owned.buffers.counts;
  }

  get ranks(): GPUBuffer {
    return this.owned.buffers.ranks;
  }

  /**
   * The first slot of each cell or bucket, then the ends of the last cell, of the quarantine and of all slots. If the
   * world has finer entries, the starts of their buckets follow, and their end.
   */
  get start(): GPUBuffer {
    return this.owned.buffers.start;
  }

  /**
   * The cell of each sorted slot, valid until the next count. In a bounded or periodic world without levels, it is an
   * index; otherwise it is coordinates.
   */
  get cellOfSlot(): GPUBuffer {
    return this.owned.buffers.ranks;
  }

  /**
   * The heavy particles, valid until the next sort. With levels, this buffer holds only their number, and `finerList`
   * holds the particles.
   */
  get heavy(): GPUBuffer | undefined {
    return this.crowd?.list;
  }

  get finerList(): GPUBuffer | undefined {
    return this.finer?.list;
  }

  get bytes(): number {
    const { owned, scanBinding, crowd, finer, merge } = this;
    const parts = (crowd?.bytes ?? 0) + (finer?.bytes ?? 0) + (merge?.bytes ?? 0);
    return owned.bytes + scanBinding.bytes + parts;
  }

  bind(input: SortState, output: SortState & { readonly id: GPUBuffer }): SortBinding {
    const { counts, start, ranks, entries } = this.owned.buffers;
    const ids = input.id ? { id_in: input.id } : {};
    return {
      count: this.passes.count.bind({
        position_in: input.position,
        counts,
        ranks,
        start,
        finer: this.finer?.list,
        ...ids,
      }),
      scatter: this.passes.scatter.bind({
        position_in: input.position,
        ranks,
        start,
        entries,
        crowd: this.crowd?.list,
        finer: this.finer?.list,
        ...ids,
      }),
      gather: this.passes.gather.bind({
        entries,
        start,
        position_in: input.position,
        position_out: output.position,
        id_out: output.id,
        cell_of_slot: ranks,
        ...(input.velocity && output.velocity
          ? { velocity_in: input.velocity, velocity_out: output.velocity }
          : {}),
      }),
      // Until the gather writes the output positions, they serve as scratch memory. They are at least as long as the
      // entries.
      crowd: this.crowd?.bind({
        start,
        entries,
        scratch: output.position,
        position_in: output.position,
        cell_of_slot: ranks,
        finer: this.finer,
      }),
      finer:
        this.crowd &&
        this.finer?.bind({
          start,
          counts,
          crowd: this.crowd.list,
          given: input.position,
          position_in: output.position,
          cell_of_slot: ranks,
        }),
      merge: this.finer && this.merge?.bind({ given: input.position, start, finer: this.finer.list }),
    };
  }

  /** Returns the stages of a sort. `counted` is true if another pass has already counted the particles. */
  stages(shared: SharedBinding, binding: SortBinding, count: number, counted: boolean): Stage[] {
    const { passes, crowd, finer, merge } = this;
    const group = crowd && binding.crowd ? binding.crowd : undefined;
    const stage = (name: string, encode: Stage['encode']): Stage => ({ name, encode });
    const sorting = [
      stage('scan', (pass) => passes.scan.encode(pass, shared, this.scanBinding)),
      ...(group ? [stage('crowd', (pass) => crowd?.encodeClear(pass, shared, group))] : []),
      stage('scatter', (pass) => passes.scatter.encode(pass, shared, binding.scatter, count)),
      ...(group ? [stage('crowd', (pass) => crowd?.encodeSort(pass, shared, group, 'entries'))] : []),
      stage('gather', (pass) => passes.gather.encode(pass, shared, binding.gather, count)),
      ...(group && crowd && finer && binding.finer
        ? [
            stage('finer', (pass) =>
              finer.encode(pass, shared, binding.finer as FinerBinding, count, crowd, group),
            ),
          ]
        : []),
      ...(group ? [stage('heavy', (pass) => crowd?.encodeHeavy(pass, shared, group, count))] : []),
    ];
    if (counted) return sorting;
    const { finer: finerBinding, merge: mergeBinding } = binding;
    return [
      ...(finer && finerBinding
        ? [stage('finer', (pass) => finer.encodeLevels(pass, shared, finerBinding, count))]
        : []),
      ...(merge && mergeBinding
        ? [stage('merge', (pass) => merge.encode(pass, shared, mergeBinding, count))]
        : []),
      { name: 'count', encode: (pass) => passes.count.encode(pass, shared, binding.count, count) },
      ...sorting,
    ];
  }

  destroy(): void {
    this.owned.destroy();
    this.crowd?.destroy();
    this.finer?.destroy();
    this.merge?.destroy();
    this.scanBinding.destroy();
  }
}
