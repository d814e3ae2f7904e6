/**
 * Purpose: what is in a box, on the GPU: for each of many boxes, of any size and anywhere, the ids of all particles
 * whose centre is in it, bounds included.
 * Inputs: the grid as it was last encoded, pairs of corners. Outputs: `ids`, those of box i from `offsets[i]` to
 * `offsets[i + 1]`, and `count`.
 * Where the world wraps around, a particle is in a box if one of its images is.
 * Ordering: boxes as they come, ids ascending. The same input gives the same bits. Comparisons alone decide: there are no
 * borderline cases. A box that the list has no room for as a whole leaves holes, 2³² − 1.
 */
import { checkInteger, checkKnownKeys } from '../core/checks';
import { ArgumentError, CellstormError } from '../core/errors';
import { MAX_PARTICLES } from '../core/simulation';
import { type BufferSet, createBuffers, createParts, PARTICLE_USAGE } from '../gpu/buffers';
import { checkEncoder, type Gpu } from '../gpu/device';
import { defineStruct, storedFloats } from '../gpu/layout';
import { BOXES_FIELDS, Boxes, type BoxesBinding, queueBytes } from '../passes/boxes';
import { LIST_DISPATCH_OFFSET } from '../passes/list-count';
import { CountedList } from './counted-list';
import type { KernelGrid } from './grid-kernel';
import { closeHoles, type ListedNeighbours } from './grid-near';
import { KernelParameters } from './kernel-parameters';

export interface GridBoxesOptions {
  /** Boxes at most. */
  readonly boxes: number;
  /** Particles in all boxes together that the list holds at most; 4 bytes each. */
  readonly capacity: number;
}

export interface GridBoxesInput {
  /** The low corner and then the high one of each: vec2f (2D) or vec4f with w unused (3D); usage STORAGE. */
  readonly boxes: GPUBuffer;
  readonly count: number;
}

interface Groups {
  readonly tally: BoxesBinding;
  readonly fill: BoxesBinding;
}

export class GridBoxes {
  /** Where `count` holds the arguments of dispatchWorkgroupsIndirect: one thread a listed id, 256 a workgroup. */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private readonly groups = new WeakMap<GPUBuffer, Groups>();
  /** Boxes of the last search recorded: what a reading of it will most likely be of. */
  private lastCount = 0;

  private constructor(
    private readonly grid: KernelGrid,
    /** Boxes at most. */
    readonly boxes: number,
    private readonly passes: Boxes,
    private readonly list: CountedList,
    private readonly waiting: BufferSet<'queue'>,
    private readonly parameters: KernelParameters,
  ) {}

  static async create(gpu: Gpu, grid: KernelGrid, options: GridBoxesOptions): Promise<GridBoxes> {
    checkKnownKeys('options', options, ['boxes', 'capacity']);
    const { boxes, capacity } = options;
    checkInteger('boxes', boxes, 1, MAX_PARTICLES);
    const { dimensions } = grid.world;
    const label = 'grid.boxes';
    const passes = await Boxes.create(gpu, grid.world);
    const { list, waiting, parameters } = await createParts({
      list: CountedList.create(gpu, {
        label,
        dimensions,
        owners: boxes,
        capacity,
        words: 1,
        entries: 'particles in boxes',
      }),
      waiting: createBuffers(
        gpu,
        label,
        { queue: queueBytes(boxes) },
        PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
      ),
      parameters: KernelParameters.create(gpu, label, defineStruct(dimensions, BOXES_FIELDS)),
    });
    return new GridBoxes(grid, boxes, passes, list, waiting, parameters);
  }

  /** Ids that fit: the number asked for, made a multiple of four. */
  get capacity(): number {
    return this.list.capacity;
  }

  /** u32: ids of particles; `listed` are valid. */
  get ids(): GPUBuffer {
    return this.list.list;
  }

  /** u32: first place of each box's particles, one more than there are boxes. */
  get offsets(): GPUBuffer {
    return this.list.offsets;
  }

  /** u32: particles found, listed, and from `dispatchOffset` on three of an indirect dispatch. */
  get count(): GPUBuffer {
    return this.list.count;
  }

  get memoryBytes(): number {
    return this.list.bytes + this.waiting.bytes + this.parameters.bytes;
  }

  /** Records the search in the grid as it was last encoded, which must come before it. The caller submits. */
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
    const built = this.grid.built();
    if (!built) throw new CellstormError('The grid has not been encoded yet, so nothing is in any box.');
    const { shared } = built;
    const offset = this.parameters.place(encoder, { box_count: count });
    const { tally, fill } = this.groupsFor(boxes);
    Boxes.clear(encoder, this.waiting.buffers.queue);
    const pass = encoder.beginComputePass({ label: 'grid.boxes' });
    this.passes.encode(pass, shared, 'tally', tally, count, [offset]);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', fill, count, [offset]);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.list.encodeOwners(encoder, this.parameters.buffer, offset + this.parameters.offsetOf('box_count'));
    this.lastCount = count;
  }

  /** The lists of the last search that was submitted, or of one that is submitted meanwhile: never a mix. */
  async read(): Promise<ListedNeighbours> {
    const { found, offsets, entries } = await this.list.read(this.lastCount);
    return closeHoles(found, offsets, entries);
  }

  destroy(): void {
    this.grid.forget(this);
    this.list.destroy();
    this.waiting.destroy();
    this.parameters.destroy();
  }

  private groupsFor(boxes: GPUBuffer): Groups {
    const known = this.groups.get(boxes);
    if (known) return known;
    const { position_in, id_in, start, cell_of_slot } = this.grid.buffers;
    const { queue } = this.waiting.buffers;
    const parameters = this.parameters.buffer;
    const state = { position_in, id_in, start, cell_of_slot, boxes, parameters, queue };
    const groups = {
      tally: this.passes.bind('tally', { ...state, tallies: this.list.tallies }),
      fill: this.passes.bind('fill', { ...state, offsets: this.list.offsets, ids: this.list.list }),
    };
    this.groups.set(boxes, groups);
    return groups;
  }
}
