/** Lists the overlapping pairs of a grid. Ordering: by the first id, then by the second. */
import { checkKnownKeys } from '../../core/base/checks';
import { CellstormError, DestroyedError } from '../../core/base/errors';
import { checkEncoder, type Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { ReadRange } from '../../gpu/readback';
import type { ParticleGroup } from '../../passes/particle-pass';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import { offsetBytes, type PairShape, Pairs, withoutHoles } from '../../passes/query/pairs';
import type { KernelGrid } from '../grid/grid-kernel';
import { CountedList, checkListFits, type ListedPairs, type ListReading } from './counted-list';
import { GridEvents, type GridEventsOptions } from './events';

/** Options of `HashGrid.pairs`. */
export interface GridPairsOptions {
  /** The largest number of pairs that the list holds. A pair takes 8 bytes. */
  readonly capacity: number;
}

/**
 * Lists the overlapping pairs of a grid on the GPU: each pair once, sorted by the first id, then by the second. If two
 * particles touch to within rounding, `pairs` may have a hole: an entry whose two ids are 2³² − 1. `read` leaves out
 * holes. There are no holes if `Measures.borderline` would be 0 for these particles.
 */
export class GridPairs {
  /**
   * Byte offset in `count` of the arguments for dispatchWorkgroupsIndirect: workgroups of 256 threads, a thread per
   * listed pair.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;

  private searched: SharedBinding | undefined;
  private destroyed = false;
  private readonly comparisons = new Set<{ destroy(): void }>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly particles: number,
    private readonly grid: KernelGrid,
    private readonly passes: Pairs,
    private readonly list: CountedList,
    private readonly groups: { readonly tally: ParticleGroup; readonly fill: ParticleGroup },
  ) {}

  /**
   * Creates a list and compiles its kernels. `particles` is the grid's capacity. With shape 'box', the grid's
   * velocities hold the high corners of boxes.
   * @internal HashGrid and BoxPairs create it.
   */
  static async create(
    gpu: Gpu,
    grid: KernelGrid,
    particles: number,
    options: GridPairsOptions,
    shape: PairShape = 'ball',
  ): Promise<GridPairs> {
    checkKnownKeys('options', options, ['capacity']);
    const { capacity } = options;
    const { dimensions } = grid.world;
    const listed = { capacity, words: 2, entries: 'pairs' } as const;
    checkListFits(gpu, listed);
    const passes = await Pairs.create(gpu, grid.world, 'grid', undefined, shape);
    const list = await CountedList.create(gpu, {
      label: 'grid.pairs',
      dimensions,
      owners: particles,
      ...listed,
      recorded: grid.recorded,
      offsetBytes: offsetBytes(grid.world, particles),
    });
    const { position_in, id_in, start, cell_of_slot } = grid.buffers;
    const high_in = shape === 'box' ? grid.velocity : undefined;
    const { finer, crowd } = grid;
    const state = { position_in, id_in, start, cell_of_slot, finer, crowd, high_in };
    return new GridPairs(gpu, particles, grid, passes, list, {
      tally: passes.bind('tally', { ...state, tallies: list.tallies }),
      fill: passes.bind('fill', { ...state, offsets: list.offsets, pairs: list.list }),
    });
  }

  /** The number of pairs that the list can hold: the requested capacity, rounded up to an even number. */
  get capacity(): number {
    return this.list.capacity;
  }

  /**
   * One vec2u per pair: its ids i < j. Only the first `count[1]` entries are valid, and some may be holes. A list that
   * is too short ends before the first id whose pairs do not all fit.
   */
  get pairs(): GPUBuffer {
    return this.list.list;
  }

  /**
   * u32: the number of pairs found, then the number listed. From `dispatchOffset` on, it holds the arguments of an
   * indirect dispatch.
   */
  get count(): GPUBuffer {
    return this.list.count;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return this.list.bytes;
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder): void {
    this.list.checkUsable();
    checkEncoder(encoder);
    const built = this.grid.built();
    if (!built)
      throw new CellstormError(
        'The grid has not been encoded yet, so it has no pairs; encode the grid first.',
      );
    const { shared, count } = built;
    const pass = encoder.beginComputePass({ label: 'grid.pairs' });
    this.passes.encode(pass, shared, 'tally', this.groups.tally, count);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', this.groups.fill, count);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.list.note(encoder);
    this.searched = shared;
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<ListedPairs> {
    const { listed } = await this.readBeside([]);
    return listed;
  }

  /** @internal Reads the list, and further ranges of buffers, as one submission left them. */
  async readBeside(
    ranges: readonly ReadRange[],
  ): Promise<{ readonly listed: ListedPairs; readonly beside: readonly ArrayBuffer[] }> {
    const { readings, beside } = await CountedList.readTogether([this.list], ranges);
    const { found, entries } = readings[0] as ListReading;
    const pairs = withoutHoles(entries);
    return { listed: { found, count: pairs.length / 2, pairs }, beside };
  }

  /** Creates GPU lists of the pairs that began, stayed and ended since the previous comparison. */
  async events(options?: GridEventsOptions): Promise<GridEvents> {
    this.list.checkUsable();
    const events = await GridEvents.create(
      this.gpu,
      {
        dimensions: this.grid.world.dimensions,
        owners: this.particles,
        list: this.list,
        recorded: this.grid.recorded,
        searched: () => this.searched,
        forget: (comparison) => this.comparisons.delete(comparison),
      },
      options,
    );
    if (this.destroyed) {
      events.destroy();
      throw new DestroyedError('list of pairs');
    }
    this.comparisons.add(events);
    return events;
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    this.destroyed = true;
    for (const comparison of this.comparisons) comparison.destroy();
    this.grid.forget(this);
    this.list.destroy();
  }
}
