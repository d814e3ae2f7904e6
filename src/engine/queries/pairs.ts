/**
 * The pairs of a grid as data on the GPU, for the caller's solvers. Lists every two particles that overlap (nearer than
 * the grid's diameter) once, with the arguments of an indirect dispatch over the pairs.
 * Inputs: the grid as it was last encoded. Outputs: `pairs` (vec2u, ids i < j) and `count`.
 * If a pair is so close to touching that the device rounds it differently when it counts and when it lists, there is a
 * hole: 2³² − 1 twice. With exact coordinates (see Measures.borderline) there are no holes.
 * Ordering: by the first id, then by the second, both ascending. The same input gives the same bits.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { CellstormError, DestroyedError } from '../../core/base/errors';
import { checkEncoder, type Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import type { ReadRange } from '../../gpu/readback';
import type { ParticleGroup } from '../../passes/particle-pass';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import { offsetBytes, type PairShape, Pairs, withoutHoles } from '../../passes/query/pairs';
import type { KernelGrid } from '../grid/grid-kernel';
import { CountedList, type ListedPairs, type ListReading } from './counted-list';
import { GridEvents, type GridEventsOptions } from './events';

export interface GridPairsOptions {
  /** The largest number of pairs that the list holds; 8 bytes each. */
  readonly capacity: number;
}

export class GridPairs {
  /**
   * Byte offset in `count` of the arguments of dispatchWorkgroupsIndirect: one thread per listed pair, 256 per
   * workgroup.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;

  private searched: SharedBinding | undefined;
  private destroyed = false;
  /** Comparisons of this list, which are destroyed with it. */
  private readonly followers = new Set<{ destroy(): void }>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly particles: number,
    private readonly grid: KernelGrid,
    private readonly passes: Pairs,
    private readonly list: CountedList,
    private readonly groups: { readonly tally: ParticleGroup; readonly fill: ParticleGroup },
  ) {}

  /** `particles` is the grid's capacity. For boxes, the grid's velocities are the high corners. */
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
    const passes = await Pairs.create(gpu, grid.world, 'grid', undefined, shape);
    const list = await CountedList.create(gpu, {
      label: 'grid.pairs',
      dimensions,
      owners: particles,
      capacity,
      words: 2,
      entries: 'pairs',
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

  /** The number of pairs that fit: the requested capacity, rounded up to an even number. */
  get capacity(): number {
    return this.list.capacity;
  }

  /**
   * One vec2u per pair, ids i < j. The first `listed` are valid. If not all pairs fit, the list holds the first ones.
   */
  get pairs(): GPUBuffer {
    return this.list.list;
  }

  /** u32: pairs found, pairs listed, and at `dispatchOffset` the three arguments of an indirect dispatch. */
  get count(): GPUBuffer {
    return this.list.count;
  }

  get memoryBytes(): number {
    return this.list.bytes;
  }

  /** Records the search over the grid as it was last encoded, which must come before it. The caller submits. */
  encode(encoder: GPUCommandEncoder): void {
    this.list.checkUsable();
    checkEncoder(encoder);
    const built = this.grid.built();
    if (!built) throw new CellstormError('The grid has not been encoded yet, so it has no pairs.');
    const { shared, count } = built;
    const pass = encoder.beginComputePass({ label: 'grid.pairs' });
    this.passes.encode(pass, shared, 'tally', this.groups.tally, count);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', this.groups.fill, count);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.searched = shared;
  }

  /** Reads the list of the last submitted search, or of one submitted meanwhile; never a mix. */
  async read(): Promise<ListedPairs> {
    const { listed } = await this.readBeside([]);
    return listed;
  }

  /** Reads the list, and other ranges as they were at the same time. */
  async readBeside(
    ranges: readonly ReadRange[],
  ): Promise<{ readonly listed: ListedPairs; readonly beside: readonly ArrayBuffer[] }> {
    const { readings, beside } = await CountedList.readTogether([this.list], ranges);
    const { found, entries } = readings[0] as ListReading;
    const pairs = withoutHoles(entries);
    return { listed: { found, count: pairs.length / 2, pairs }, beside };
  }

  /** Returns GPU lists of the pairs that began, stayed and ended between one search and the next. */
  async events(options?: GridEventsOptions): Promise<GridEvents> {
    this.list.checkUsable();
    const events = await GridEvents.create(
      this.gpu,
      {
        dimensions: this.grid.world.dimensions,
        owners: this.particles,
        list: this.list,
        searched: () => this.searched,
        forget: (follower) => this.followers.delete(follower),
      },
      options,
    );
    if (this.destroyed) {
      events.destroy();
      throw new DestroyedError('list of pairs');
    }
    this.followers.add(events);
    return events;
  }

  destroy(): void {
    this.destroyed = true;
    for (const follower of this.followers) follower.destroy();
    this.grid.forget(this);
    this.list.destroy();
  }
}
