/**
 * For each of many rays, finds on the GPU the balls around the grid's particles that the ray meets. GridRays lists all
 * balls, GridFirstHits finds only the first per ray.
 * A ray consists of the points origin + t · direction with 0 ≤ t ≤ greatest distance. It meets a ball if one of these
 * points is no farther from the ball's centre than the radius. The distance is the least such t. In a periodic
 * world the ray wraps, and meets each ball only once.
 * Ordering: rays in the order of the input; per ray by ascending distance, then by id.
 * If a ray touches a ball to within rounding, the device may count the ball but not list it. The list then has a hole,
 * 2³² − 1. If the entries of a ray do not all fit, its part of the list has only holes.
 */
import {
  checkDimensions,
  checkInteger,
  checkKnownKeys,
  checkList,
  checkVector,
} from '../../core/base/checks';
import { NO_PARTNER } from '../../core/base/constants';
import { ArgumentError, DestroyedError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { type Dimensions, SMALLEST_DIAMETER, type World } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { checkEncoder, type Gpu } from '../../gpu/device';
import { defineStruct } from '../../gpu/layout';
import { Readback } from '../../gpu/readback';
import { FirstHits, RAYS_FIELDS, Rays } from '../../passes/query/rays';
import type { KernelGrid } from '../grid/grid-kernel';
import { KernelParameters } from '../grid/kernel-parameters';
import { CountedList, checkListFits, checkOwnersFit } from './counted-list';
import { ListSearch, lastBuilt } from './list-search';

export interface GridRaysOptions {
  /** The largest number of rays. */
  readonly rays: number;
  /** The largest number of entries for all rays together; 8 bytes each. */
  readonly capacity: number;
  readonly firstOnly?: false | undefined;
}

export interface GridFirstHitsOptions {
  /** The largest number of rays. */
  readonly rays: number;
  /** Find only the first ball of each ray, without lists. */
  readonly firstOnly: true;
}

export interface GridRaysInput {
  /**
   * The rays as `packRays` writes them. The usage must include STORAGE. f32 numbers per ray:
   *   - 2D: origin (2), direction (2), greatest distance, one unused.
   *   - 3D: origin (3), one unused, direction (3), greatest distance.
   */
  readonly rays: GPUBuffer;
  readonly count: number;
  /**
   * The radius of the balls. Default and maximum: half the grid's diameter. Leave it out if the grid was created with
   * `radii`, because each ball has its own.
   */
  readonly radius?: number | undefined;
}

/** A ray, for `packRays`. */
export interface Ray {
  readonly origin: readonly number[];
  /**
   * Distances are in units of the length of this vector, so it usually has length 1. If the length is 0, the ray meets
   * nothing.
   */
  readonly direction: readonly number[];
  /** Default: infinity. In a periodic world a ray ends after MOST_PERIODS periods along any axis. */
  readonly greatestDistance?: number | undefined;
}

/**
 * The lists read back. Ray i meets the particles `ids.subarray(offsets[i], offsets[i + 1])`.
 */
export interface ListedHits {
  /**
   * The number of entries that the search found. If it exceeds the capacity, create a search with at least this
   * capacity.
   */
  readonly found: number;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
  readonly distances: Float32Array;
}

/** The result per ray: the id of the first ball and its distance; or 2³² − 1 and −1 if the ray meets none. */
export interface ListedFirstHits {
  readonly ids: Uint32Array;
  readonly distances: Float32Array;
}

function rayWords(dimensions: Dimensions): number {
  return 2 * dimensions + 2;
}

/** Packs rays for a buffer of GridRaysInput. */
export function packRays(dimensions: Dimensions, rays: readonly Ray[]): Float32Array<ArrayBuffer> {
  checkDimensions(dimensions);
  const words = rayWords(dimensions);
  const listed = checkList('rays', rays, MAX_PARTICLES, 'rays');
  const packed = new Float32Array(words * listed.length);
  listed.forEach((ray, index) => {
    checkKnownKeys(`rays[${index}]`, ray, ['origin', 'direction', 'greatestDistance']);
    const { origin, direction, greatestDistance = Number.POSITIVE_INFINITY } = ray;
    checkVector(`rays[${index}].origin`, origin, dimensions);
    checkVector(`rays[${index}].direction`, direction, dimensions);
    if (typeof greatestDistance !== 'number' || !(greatestDistance >= 0)) {
      throw new ArgumentError(`rays[${index}].greatestDistance`, greatestDistance, 'at least 0');
    }
    const first = words * index;
    packed.set(origin, first);
    packed.set(direction, first + 2 * dimensions - 2);
    packed[first + 3 * dimensions - 2] = greatestDistance + 0;
  });
  return packed;
}

function describeParameters({ dimensions }: World) {
  return defineStruct(dimensions, RAYS_FIELDS);
}

/** Checks an input before anything is recorded, and returns the values of the kernel's parameters. */
function checkRays(world: World, most: number, input: GridRaysInput): Readonly<Record<string, number>> {
  checkKnownKeys('input', input, ['rays', 'count', 'radius']);
  const { rays, count } = input;
  checkInteger('count', count, 0, most);
  const needed = 4 * rayWords(world.dimensions) * count;
  if (!rays || !(rays.usage & GPUBufferUsage.STORAGE) || rays.size < needed) {
    const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} rays`;
    throw new ArgumentError('rays', rays, accepted);
  }
  return { ray_count: count, ...checkRadius(world, input) };
}

/** Checks the radius and returns it as parameters. The kernel does not read them if radii vary. */
function checkRadius(
  world: World,
  input: GridRaysInput,
): Readonly<Record<'radius' | 'radius_squared', number>> {
  const { radius = world.diameter / 2 } = input;
  if (world.levels > 0) {
    if (input.radius === undefined) return { radius: 0, radius_squared: 0 };
    const accepted = 'left out, because in a grid that was created with `radii` each ball has its own';
    throw new ArgumentError('radius', input.radius, accepted);
  }
  if (typeof radius !== 'number' || !(radius >= SMALLEST_DIAMETER / 2 && radius <= world.diameter / 2)) {
    const accepted = `at least 2^-41 and at most ${world.diameter / 2}, half the diameter that the grid was created with`;
    throw new ArgumentError('radius', radius, accepted);
  }
  const reach = Math.fround(radius);
  return { radius: reach, radius_squared: Math.fround(reach * reach) };
}

export class GridRays extends ListSearch<GPUBindGroup> {
  private constructor(
    grid: KernelGrid,
    /** The largest number of rays. */
    readonly rays: number,
    private readonly searchers: Rays,
    list: CountedList,
    parameters: KernelParameters,
  ) {
    super(grid, searchers, list, parameters);
  }

  static async create(gpu: Gpu, grid: KernelGrid, options: GridRaysOptions): Promise<GridRays> {
    checkKnownKeys('options', options, ['rays', 'capacity', 'firstOnly']);
    const { rays, capacity } = options;
    checkInteger('rays', rays, 1, MAX_PARTICLES);
    const { dimensions } = grid.world;
    const listed = { capacity, words: 1, entries: 'balls on rays' } as const;
    checkListFits(gpu, listed);
    checkOwnersFit(gpu, 'rays', rays);
    const passes = await Rays.create(gpu, grid.world);
    const { list, parameters } = await createParts({
      list: CountedList.create(gpu, {
        label: 'grid.rays',
        dimensions,
        owners: rays,
        ...listed,
        cutsOwners: true,
        companion: 'distances',
      }),
      parameters: KernelParameters.create(gpu, 'grid.rays', describeParameters(grid.world)),
    });
    return new GridRays(grid, rays, passes, list, parameters);
  }

  /** f32: the distance along the ray, for each entry of `ids`. */
  get distances(): GPUBuffer {
    return this.list.companion as GPUBuffer;
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. The caller submits. */
  encode(encoder: GPUCommandEncoder, input: GridRaysInput): void {
    this.list.checkUsable();
    checkEncoder(encoder);
    const values = checkRays(this.grid.world, this.rays, input);
    this.record(encoder, lastBuilt(this.grid), {
      label: 'grid.rays',
      owners: input.rays,
      count: input.count,
      counted: 'ray_count',
      values,
    });
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<ListedHits> {
    const { found, offsets, entries, companions } = await this.list.read(this.lastCount);
    return withoutHoles(found, offsets, entries, companions);
  }

  protected bind(rays: GPUBuffer) {
    const state = { ...this.gridState, rays };
    const { tallies, offsets, list: ids } = this.list;
    return {
      tally: this.searchers.bind('tally', { ...state, tallies }),
      fill: this.searchers.bind('fill', { ...state, offsets, ids, distances: this.distances }),
    };
  }
}

/** Removes the holes from the ids and distances, and adapts the offsets. */
function withoutHoles(
  found: number,
  offsets: Uint32Array,
  ids: Uint32Array,
  distanceWords: Uint32Array,
): ListedHits {
  const closed = new Uint32Array(offsets.length);
  let end = 0;
  for (let ray = 0; ray + 1 < offsets.length; ray++) {
    const stop = Math.min(offsets[ray + 1] as number, ids.length);
    for (let index = Math.min(offsets[ray] as number, ids.length); index < stop; index++) {
      if (ids[index] === NO_PARTNER) continue;
      ids[end] = ids[index] as number;
      distanceWords[end++] = distanceWords[index] as number;
    }
    closed[ray + 1] = end;
  }
  const distances = new Float32Array(distanceWords.buffer, distanceWords.byteOffset, ids.length);
  return { found, offsets: closed, ids: ids.slice(0, end), distances: distances.slice(0, end) };
}

export class GridFirstHits {
  private destroyed = false;
  private groups = new WeakMap<GPUBuffer, GPUBindGroup>();
  private lastCount = 0;
  private readonly readback: Readback;

  private constructor(
    private readonly gpu: Gpu,
    private readonly grid: KernelGrid,
    /** The largest number of rays. */
    readonly rays: number,
    private readonly pass: FirstHits,
    private readonly owned: BufferSet<'ids' | 'distances'>,
    private readonly parameters: KernelParameters,
  ) {
    this.readback = new Readback(gpu, 'grid.first-hits');
  }

  static async create(gpu: Gpu, grid: KernelGrid, options: GridFirstHitsOptions): Promise<GridFirstHits> {
    checkKnownKeys('options', options, ['rays', 'firstOnly']);
    const { rays } = options;
    checkInteger('rays', rays, 1, MAX_PARTICLES);
    checkOwnersFit(gpu, 'rays', rays);
    const pass = await FirstHits.create(gpu, grid.world);
    const { owned, parameters } = await createParts({
      owned: createBuffers(gpu, 'grid.first-hits', { ids: 4 * rays, distances: 4 * rays }),
      parameters: KernelParameters.create(gpu, 'grid.first-hits', describeParameters(grid.world)),
    });
    return new GridFirstHits(gpu, grid, rays, pass, owned, parameters);
  }

  /** u32: the id of the first ball of each ray, or 2³² − 1 if there is none. */
  get ids(): GPUBuffer {
    return this.owned.buffers.ids;
  }

  /** f32: the distance of the first ball of each ray along the ray, or −1 if there is none. */
  get distances(): GPUBuffer {
    return this.owned.buffers.distances;
  }

  get memoryBytes(): number {
    return this.owned.bytes + this.parameters.bytes;
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. The caller submits. */
  encode(encoder: GPUCommandEncoder, input: GridRaysInput): void {
    this.checkUsable();
    checkEncoder(encoder);
    const values = checkRays(this.grid.world, this.rays, input);
    const shared = lastBuilt(this.grid);
    if (this.parameters.makeRoom()) this.groups = new WeakMap();
    const offset = this.parameters.write(values);
    const group = this.groupFor(input.rays);
    const pass = encoder.beginComputePass({ label: 'grid.first-hits' });
    this.pass.encode(pass, shared, group, input.count, [offset]);
    pass.end();
    this.lastCount = input.count;
  }

  /** Reads the result of the last submitted search, for as many rays as the last recorded search has. */
  async read(): Promise<ListedFirstHits> {
    this.checkUsable();
    const encoder = this.gpu.device.createCommandEncoder({ label: 'grid.first-hits.read' });
    const size = 4 * this.lastCount;
    const reading = this.readback.record(encoder, [
      { buffer: this.ids, size },
      { buffer: this.distances, size },
    ]);
    this.gpu.device.queue.submit([encoder.finish()]);
    const [ids, distances] = (await reading.finish()) as [ArrayBuffer, ArrayBuffer];
    return { ids: new Uint32Array(ids), distances: new Float32Array(distances) };
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.grid.forget(this);
    this.owned.destroy();
    this.parameters.destroy();
    this.readback.destroy();
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('search for first hits');
    this.gpu.checkAlive();
  }

  private groupFor(rays: GPUBuffer): GPUBindGroup {
    const cached = this.groups.get(rays);
    if (cached) return cached;
    const { position_in, id_in, start, cell_of_slot } = this.grid.buffers;
    const state = { position_in, id_in, start, cell_of_slot, rays, parameters: this.parameters.buffer };
    const group = this.pass.bind({ ...state, ids: this.ids, distances: this.distances });
    this.groups.set(rays, group);
    return group;
  }
}
