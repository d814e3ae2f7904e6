/**
 * Finds the balls that rays meet. Ordering: rays in the order of the input; for each ray by ascending distance, then by
 * id.
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

/** Options of `HashGrid.alongRays`. */
export interface GridRaysOptions {
  /** The largest number of rays. */
  readonly rays: number;
  /** The largest number of entries that the lists of all rays hold together. An entry takes 8 bytes. */
  readonly capacity: number;
  /** True only in GridFirstHitsOptions. Default: false. */
  readonly firstOnly?: false | undefined;
}

/** Options of `HashGrid.alongRays` for the first ball of each ray, without lists. */
export interface GridFirstHitsOptions {
  /** The largest number of rays. */
  readonly rays: number;
  /** Always true: the search finds only the first ball of each ray. */
  readonly firstOnly: true;
}

/** Rays for one search. */
export interface GridRaysInput {
  /**
   * The rays as `packRays` writes them. Usage STORAGE. f32 numbers per ray:
   *   - 2D: origin (2), direction (2), greatest distance, one unused
   *   - 3D: origin (3), one unused, direction (3), greatest distance
   */
  readonly rays: GPUBuffer;
  /** Number of rays. */
  readonly count: number;
  /**
   * The radius of the balls, from 2^-41 to half the grid's diameter. Leave it out if the grid has `radii`: each ball
   * then has its own. Default: half the grid's diameter.
   */
  readonly radius?: number | undefined;
}

/** A ray, for `packRays`. */
export interface Ray {
  /** One coordinate per axis. */
  readonly origin: readonly number[];
  /**
   * One component per axis. Distances are in units of the vector's length. A ray meets nothing if its direction is
   * shorter than 2^-30, or a component exceeds 2^30.
   */
  readonly direction: readonly number[];
  /** At least 0. In a periodic world, a ray ends at the latest after 64 periods along any axis. Default: infinity. */
  readonly greatestDistance?: number | undefined;
}

/** Lists of balls read back, per ray by ascending distance, then by id. */
export interface ListedHits {
  /** Number of entries found. If it exceeds the capacity, create a search whose capacity is at least this number. */
  readonly found: number;
  /** Ray i meets the particles `ids.subarray(offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** The ids of all rays, one after another. */
  readonly ids: Uint32Array;
  /** The distance along the ray, per entry of `ids`. */
  readonly distances: Float32Array;
}

/** The first ball of each ray. */
export interface ListedFirstHits {
  /** The id of each ray's first ball; 2³² − 1 if the ray meets no ball. */
  readonly ids: Uint32Array;
  /** The distance of each ray's first ball along the ray; −1 if the ray meets no ball. */
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

/** Returns the radius for the kernel, which does not read it if radii vary. */
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

/**
 * Lists on the GPU the balls that each ray meets, by ascending distance, then by id. Each particle of the grid is the
 * centre of a ball.
 *
 * A ray consists of the points origin + t · direction with 0 ≤ t ≤ greatest distance. The ray meets a ball if one of
 * these points is no farther from the ball's centre than the radius. The least such t is the distance. In a periodic
 * world the ray wraps, and meets each ball only once.
 *
 * If a ray touches a ball to within rounding, `ids` may have a hole: the number 2³² − 1. If not all entries of a ray
 * fit, its part of `ids` has only holes. `read` leaves out holes.
 */
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

  /** @internal HashGrid creates it. */
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
        recorded: grid.recorded,
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

  /** Records the search in the grid as it was last encoded, so encode the grid first. Submit the encoder yourself. */
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

/** Removes the holes from lists. Changes `ids` and `distanceWords` in place. */
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

/** Finds on the GPU the first ball that each ray meets. {@link GridRays} says when a ray meets a ball. */
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

  /** @internal HashGrid creates it. */
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

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return this.owned.bytes + this.parameters.bytes;
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. Submit the encoder yourself. */
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
    this.grid.recorded.note(encoder);
    this.lastCount = input.count;
  }

  /** Reads the result of the last submitted search, for as many rays as the last recorded search has. */
  async read(): Promise<ListedFirstHits> {
    this.checkUsable();
    this.grid.recorded.check();
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

  /** Frees the memory. Later calls throw a DestroyedError. */
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
