/** Lists the particles in boxes. Ordering: boxes in the order of the input; ids ascending in each box. */
import { checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { type BufferSet, createBuffers, createParts, PARTICLE_USAGE } from '../../gpu/buffers';
import { checkEncoder, type Gpu } from '../../gpu/device';
import { defineStruct, storedFloats } from '../../gpu/layout';
import { BOXES_FIELDS, Boxes, type BoxesBinding, queueBytes } from '../../passes/query/boxes';
import type { KernelGrid } from '../grid/grid-kernel';
import { KernelParameters } from '../grid/kernel-parameters';
import { CountedList, checkListFits, checkOwnersFit } from './counted-list';
import { ListSearch, lastBuilt } from './list-search';
import { closeHoles, type ListedNeighbours } from './near';

/** Options of `HashGrid.inBoxes`. */
export interface GridBoxesOptions {
  /** The largest number of boxes. */
  readonly boxes: number;
  /** The largest number of ids that the lists of all boxes hold together. An id takes 4 bytes. */
  readonly capacity: number;
}

/** Boxes for one search. */
export interface GridBoxesInput {
  /** Per box its low corner, then its high one: vec2f each in 2D, vec4f with w unused in 3D. Usage STORAGE. */
  readonly boxes: GPUBuffer;
  /** Number of boxes. */
  readonly count: number;
}

/**
 * Lists on the GPU the ids of the particles in each box, ascending. A particle is in a box if its centre, or an image
 * of the centre, lies inside or on the bounds. If the ids of a box do not all fit, its part of `ids` has only holes:
 * words of 2³² − 1. `read` leaves out holes.
 */
export class GridBoxes extends ListSearch<BoxesBinding> {
  private constructor(
    grid: KernelGrid,
    /** The largest number of boxes. */
    readonly boxes: number,
    private readonly searchers: Boxes,
    list: CountedList,
    private readonly queued: BufferSet<'queue'>,
    parameters: KernelParameters,
  ) {
    super(grid, searchers, list, parameters);
  }

  /** @internal HashGrid creates it. */
  static async create(gpu: Gpu, grid: KernelGrid, options: GridBoxesOptions): Promise<GridBoxes> {
    checkKnownKeys('options', options, ['boxes', 'capacity']);
    const { boxes, capacity } = options;
    checkInteger('boxes', boxes, 1, MAX_PARTICLES);
    const { dimensions } = grid.world;
    const label = 'grid.boxes';
    const listed = { capacity, words: 1, entries: 'particles in boxes' } as const;
    checkListFits(gpu, listed);
    checkOwnersFit(gpu, 'boxes', boxes);
    const passes = await Boxes.create(gpu, grid.world);
    const { list, queue, parameters } = await createParts({
      list: CountedList.create(gpu, {
        label,
        dimensions,
        owners: boxes,
        ...listed,
        recorded: grid.recorded,
        cutsOwners: true,
      }),
      queue: createBuffers(
        gpu,
        label,
        { queue: queueBytes(boxes) },
        PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
      ),
      parameters: KernelParameters.create(gpu, label, defineStruct(dimensions, BOXES_FIELDS)),
    });
    return new GridBoxes(grid, boxes, passes, list, queue, parameters);
  }

  /** Bytes of GPU memory. */
  override get memoryBytes(): number {
    return super.memoryBytes + this.queued.bytes;
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder, input: GridBoxesInput): void {
    this.list.checkUsable();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['boxes', 'count']);
    const { boxes, count } = input;
    checkInteger('count', count, 0, this.boxes);
    const needed = 8 * storedFloats(this.grid.world.dimensions) * count;
    if (!boxes || !(boxes.usage & GPUBufferUsage.STORAGE) || boxes.size < needed) {
      const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} boxes`;
      throw new ArgumentError('boxes', boxes, accepted);
    }
    const shared = lastBuilt(this.grid);
    Boxes.clear(encoder, this.queued.buffers.queue);
    this.record(encoder, shared, {
      label: 'grid.boxes',
      owners: boxes,
      count,
      counted: 'box_count',
      values: {},
    });
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<ListedNeighbours> {
    const { found, offsets, entries } = await this.list.read(this.lastCount);
    return closeHoles(found, offsets, entries);
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  override destroy(): void {
    super.destroy();
    this.queued.destroy();
  }

  protected bind(boxes: GPUBuffer) {
    const state = { ...this.gridState, boxes, queue: this.queued.buffers.queue };
    const { tallies, offsets, list: ids } = this.list;
    return {
      tally: this.searchers.bind('tally', { ...state, tallies }),
      fill: this.searchers.bind('fill', { ...state, offsets, ids }),
    };
  }
}
