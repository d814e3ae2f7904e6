/**
 * Purpose: neighbour queries on the GPU: for each of many points, particles or not, the ids of all particles within
 * a radius.
 * Inputs: the grid as it was last encoded, points. Outputs: `ids`, those of point i from `offsets[i]` to
 * `offsets[i + 1]`, and `count`.
 * Ordering: points as they come, ids ascending. The same input gives the same bits. A particle so close to the radius
 * that a device rounds its distance in one way when it counts and in another when it lists leaves a hole, 2³² − 1.
 */
import { checkInteger, checkKnownKeys } from '../core/checks';
import { NO_PARTNER } from '../core/constants';
import { ArgumentError, CellstormError } from '../core/errors';
import { MAX_PARTICLES } from '../core/simulation';
import { checkEncoder, type Gpu } from '../gpu/device';
import { defineStruct } from '../gpu/layout';
import { LIST_DISPATCH_OFFSET } from '../passes/list-count';
import { NEAR_FIELDS, Near } from '../passes/near';
import { CountedList } from './counted-list';
import { checkPoints, type KernelGrid } from './grid-kernel';
import { KernelParameters } from './kernel-parameters';
import { breadthFor, checkRadius, checkReach, reachCells, reachSquared } from './reach';

export interface GridNearOptions {
  /** Points at most. */
  readonly points: number;
  /** Neighbours of all points together that the list holds at most; 4 bytes each. */
  readonly capacity: number;
  /**
   * The largest radius that will be asked for. Default: the grid's diameter. Beyond the cell the wider loop is linked;
   * where the world wraps around, at most half the shortest period.
   */
  readonly reach?: number | undefined;
}

export interface GridNearInput {
  /** vec2f (2D) or vec4f with w unused (3D) for each point; usage STORAGE. */
  readonly points: GPUBuffer;
  readonly count: number;
  /** Particles nearer than this. Default, and at most: the reach. */
  readonly radius?: number | undefined;
}

/** Lists read back: the neighbours of point i (the particles in box i) are `ids[offsets[i]]` up to, but not, `ids[offsets[i + 1]]`. */
export interface ListedNeighbours {
  /** Of all points; more than there is room for where the list was too short, and the capacity that would do. */
  readonly found: number;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
}

interface Groups {
  readonly tally: GPUBindGroup;
  readonly fill: GPUBindGroup;
}

export class GridNear {
  /** Where `count` holds the arguments of dispatchWorkgroupsIndirect: one thread a neighbour, 256 a workgroup. */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private readonly groups = new WeakMap<GPUBuffer, Groups>();
  /** Points of the last search recorded: what a reading of it will most likely be of. */
  private lastCount = 0;

  private constructor(
    private readonly grid: KernelGrid,
    /** Points at most. */
    readonly points: number,
    /** The largest radius. */
    readonly reach: number,
    private readonly passes: Near,
    private readonly list: CountedList,
    private readonly parameters: KernelParameters,
  ) {}

  static async create(gpu: Gpu, grid: KernelGrid, options: GridNearOptions): Promise<GridNear> {
    checkKnownKeys('options', options, ['points', 'capacity', 'reach']);
    const { points, capacity, reach = grid.world.diameter } = options;
    checkInteger('points', points, 1, MAX_PARTICLES);
    checkReach('reach', grid.world, reach);
    const { dimensions } = grid.world;
    const passes = await Near.create(gpu, grid.world, breadthFor(grid.world, reach));
    const list = await CountedList.create(gpu, {
      label: 'grid.near',
      dimensions,
      owners: points,
      capacity,
      words: 1,
      entries: 'neighbours',
    });
    const layout = defineStruct(dimensions, NEAR_FIELDS);
    const parameters = await KernelParameters.create(gpu, 'grid.near', layout).catch((error: unknown) => {
      list.destroy();
      throw error;
    });
    return new GridNear(grid, points, reach, passes, list, parameters);
  }

  /** Neighbours that fit: the number asked for, made a multiple of four. */
  get capacity(): number {
    return this.list.capacity;
  }

  /** u32: ids of neighbours; `listed` are valid. */
  get ids(): GPUBuffer {
    return this.list.list;
  }

  /** u32: first place of each point's neighbours, one more than there are points. */
  get offsets(): GPUBuffer {
    return this.list.offsets;
  }

  /** u32: neighbours found, listed, and from `dispatchOffset` on three of an indirect dispatch. */
  get count(): GPUBuffer {
    return this.list.count;
  }

  get memoryBytes(): number {
    return this.list.bytes + this.parameters.bytes;
  }

  /** Records the search in the grid as it was last encoded, which must come before it. The caller submits. */
  encode(encoder: GPUCommandEncoder, input: GridNearInput): void {
    this.list.checkUsable();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['points', 'count', 'radius']);
    const { world } = this.grid;
    const { points, radius = this.reach } = input;
    const count = checkPoints(world, input);
    if (count > this.points) throw new ArgumentError('count', count, `at most ${this.points} points`);
    checkRadius('radius', radius, this.reach, `${this.reach}, the reach that the search was created with`);
    const built = this.grid.built();
    if (!built) throw new CellstormError('The grid has not been encoded yet, so nothing is near anything.');
    const { shared } = built;
    const values = {
      reach_squared: reachSquared(radius),
      point_count: count,
      reach_cells: reachCells(world, radius),
    };
    const offset = this.parameters.place(encoder, values);
    const { tally, fill } = this.groupsFor(points);
    const pass = encoder.beginComputePass({ label: 'grid.near' });
    this.passes.encode(pass, shared, 'tally', tally, count, [offset]);
    this.list.encodeScan(pass, shared);
    this.passes.encode(pass, shared, 'fill', fill, count, [offset]);
    this.list.encodeCount(pass, shared);
    pass.end();
    this.list.encodeOwners(encoder, this.parameters.buffer, offset + this.parameters.offsetOf('point_count'));
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
    this.parameters.destroy();
  }

  private groupsFor(points: GPUBuffer): Groups {
    const known = this.groups.get(points);
    if (known) return known;
    const { position_in, id_in, start, cell_of_slot } = this.grid.buffers;
    const parameters = this.parameters.buffer;
    const state = { position_in, id_in, start, cell_of_slot, points, parameters };
    const groups = {
      tally: this.passes.bind('tally', { ...state, tallies: this.list.tallies }),
      fill: this.passes.bind('fill', { ...state, offsets: this.list.offsets, ids: this.list.list }),
    };
    this.groups.set(points, groups);
    return groups;
  }
}

/** Without holes, and with offsets that end where the list does. */
export function closeHoles(found: number, offsets: Uint32Array, ids: Uint32Array): ListedNeighbours {
  const closed = new Uint32Array(offsets.length);
  let end = 0;
  for (let point = 0; point + 1 < offsets.length; point++) {
    const stop = Math.min(offsets[point + 1] as number, ids.length);
    for (let place = Math.min(offsets[point] as number, ids.length); place < stop; place++) {
      const id = ids[place] as number;
      if (id !== NO_PARTNER) ids[end++] = id;
    }
    closed[point + 1] = end;
  }
  return { found, offsets: closed, ids: end === ids.length ? ids : ids.slice(0, end) };
}
