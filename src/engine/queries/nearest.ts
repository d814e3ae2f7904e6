/**
 * Finds the k nearest particles of points. The order in which the grid visits neighbours does not change the result.
 */
import { checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, DestroyedError, LimitError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { checkEncoder, type Gpu } from '../../gpu/device';
import { defineStruct } from '../../gpu/layout';
import { Readback } from '../../gpu/readback';
import { NEAREST_FIELDS, Nearest } from '../../passes/query/nearest';
import { checkPoints, type KernelGrid } from '../grid/grid-kernel';
import { KernelParameters } from '../grid/kernel-parameters';
import { lastBuilt } from './list-search';
import { breadthFor, checkRadius, checkReach, reachSquared } from './reach';

/** Options of `HashGrid.nearest`. */
export interface GridNearestOptions {
  /** The largest number of points. */
  readonly points: number;
  /** The number of neighbours per point, from 1 to MOST_NEAREST. A neighbour takes 8 bytes. */
  readonly k: number;
  /**
   * The largest radius of a search: at least 2^-40, and in a periodic world at most half the shortest period. If it
   * is larger than a cell, the search is slower. Default: the grid's diameter.
   */
  readonly radius?: number | undefined;
}

/** Points for one search. */
export interface GridNearestInput {
  /**
   * One vec2f (2D) or vec4f with w unused (3D) per point. If the grid has `radii`, a point is a vec4f in 2D, too. Usage
   * STORAGE.
   */
  readonly points: GPUBuffer;
  /** Number of points. */
  readonly count: number;
  /** The search finds particles nearer than this. Default and maximum: the option `radius`. */
  readonly radius?: number | undefined;
  /** True if point i is the particle with id i, so that no particle is its own neighbour. Default: false. */
  readonly withoutSelf?: boolean | undefined;
}

/** The nearest neighbours of each point, as `read` returns them: by ascending distance, then by id. */
export interface NearestNeighbours {
  /** Number of neighbours listed per point. */
  readonly k: number;
  /** The ids of point i begin at index k · i. If the point has fewer than k neighbours, the rest are 2³² − 1. */
  readonly ids: Uint32Array;
  /** Squared distances in the order of `ids`; infinity where the id is 2³² − 1. */
  readonly distancesSquared: Float32Array;
}

/** The greatest k. For more neighbours, use GridNear and sort its lists. */
export const MOST_NEAREST = 128;

type Results = BufferSet<'ids' | 'distances-squared'>;

/**
 * Finds on the GPU the k nearest particles of each point, by ascending distance, then by id. The points need not be
 * particles. The results of point i begin at index k · i; unused ones hold 2³² − 1 and infinity.
 */
export class GridNearest {
  private destroyed = false;
  private groups = new WeakMap<GPUBuffer, GPUBindGroup>();
  /** Number of points in the last recorded search. `read` first copies the results of this many points. */
  private lastCount = 0;

  private constructor(
    private readonly gpu: Gpu,
    private readonly grid: KernelGrid,
    /** The largest number of points. */
    readonly points: number,
    /** Number of neighbours per point. */
    readonly k: number,
    /** The largest radius. */
    readonly radius: number,
    private readonly pass: Nearest,
    private readonly owned: Results,
    /**
     * Number of points in the last submitted search. Searches may be submitted in any order, so only the GPU knows it.
     */
    private readonly searched: BufferSet<'searched'>,
    private readonly parameters: KernelParameters,
    private readonly readback: Readback,
  ) {}

  /** @internal HashGrid creates it. */
  static async create(gpu: Gpu, grid: KernelGrid, options: GridNearestOptions): Promise<GridNearest> {
    checkKnownKeys('options', options, ['points', 'k', 'radius']);
    const { world } = grid;
    const { points, k, radius = world.diameter } = options;
    checkInteger('points', points, 1, MAX_PARTICLES);
    checkInteger('k', k, 1, MOST_NEAREST);
    checkReach('radius', world, radius);
    const bytes = 4 * points * k;
    for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
      const limit = gpu.device.limits[name];
      if (bytes <= limit) continue;
      throw new LimitError(
        name,
        `The ids of the ${k} nearest particles of each of ${points} points take ${bytes} bytes, but this device's ${name} is ${limit}: at most ${Math.floor(limit / (4 * k))} points fit.`,
      );
    }
    const label = 'grid.nearest';
    const { pass, owned, searched, parameters } = await createParts({
      pass: Nearest.create(gpu, world, breadthFor(world, radius)),
      owned: createBuffers(gpu, label, { ids: bytes, 'distances-squared': bytes }),
      searched: createBuffers(gpu, label, { searched: 4 }),
      parameters: KernelParameters.create(gpu, label, defineStruct(world.dimensions, NEAREST_FIELDS)),
    });
    const readback = new Readback(gpu, label);
    return new GridNearest(gpu, grid, points, k, radius, pass, owned, searched, parameters, readback);
  }

  /** u32: k ids per point. */
  get ids(): GPUBuffer {
    return this.owned.buffers.ids;
  }

  /** f32: k squared distances per point. */
  get distancesSquared(): GPUBuffer {
    return this.owned.buffers['distances-squared'];
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return this.owned.bytes + this.searched.bytes + this.parameters.bytes;
  }

  /** Records a search of the grid as last encoded, so encode the grid first. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder, input: GridNearestInput): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['points', 'count', 'radius', 'withoutSelf']);
    const { world } = this.grid;
    const { points, radius = this.radius, withoutSelf = false } = input;
    const count = checkPoints(world, input);
    if (count > this.points) throw new ArgumentError('count', count, `at most ${this.points} points`);
    checkRadius('radius', radius, this.radius, `${this.radius}, the radius that the search was created with`);
    if (typeof withoutSelf !== 'boolean') {
      throw new ArgumentError('withoutSelf', withoutSelf, 'true or false');
    }
    if (points === this.ids || points === this.distancesSquared) {
      throw new ArgumentError('points', points, 'a buffer that the search does not write');
    }
    const shared = lastBuilt(this.grid);
    if (this.parameters.makeRoom()) this.groups = new WeakMap();
    const offset = this.parameters.write({
      reach_squared: reachSquared(radius),
      point_count: count,
      k: this.k,
      without_self: withoutSelf ? 1 : 0,
    });
    const pass = encoder.beginComputePass({ label: 'grid.nearest' });
    this.pass.encode(pass, shared, this.groupFor(points), count, offset);
    pass.end();
    const source = offset + this.parameters.offsetOf('point_count');
    encoder.copyBufferToBuffer(this.parameters.buffer, source, this.searched.buffers.searched, 0, 4);
    this.grid.recorded.note(encoder);
    this.lastCount = count;
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<NearestNeighbours> {
    this.checkUsable();
    this.grid.recorded.check();
    const { k } = this;
    let room = this.lastCount;
    for (;;) {
      this.checkUsable();
      const encoder = this.gpu.device.createCommandEncoder({ label: 'grid.nearest.read' });
      const reading = this.readback.record(encoder, [
        { buffer: this.searched.buffers.searched, size: 4 },
        { buffer: this.ids, size: 4 * k * room },
        { buffer: this.distancesSquared, size: 4 * k * room },
      ]);
      this.gpu.device.queue.submit([encoder.finish()]);
      const [searched, ids, squares] = (await reading.finish()) as [ArrayBuffer, ArrayBuffer, ArrayBuffer];
      const [count] = new Uint32Array(searched) as unknown as [number];
      if (count > room && room < this.points) {
        room = this.points;
        continue;
      }
      return {
        k,
        ids: new Uint32Array(ids).slice(0, k * count),
        distancesSquared: new Float32Array(squares).slice(0, k * count),
      };
    }
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.grid.forget(this);
    this.owned.destroy();
    this.searched.destroy();
    this.parameters.destroy();
    this.readback.destroy();
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('search for the nearest');
    this.gpu.checkAlive();
  }

  private groupFor(points: GPUBuffer): GPUBindGroup {
    const cached = this.groups.get(points);
    if (cached) return cached;
    const group = this.pass.bind({
      ...this.grid.buffers,
      points,
      parameters: this.parameters.buffer,
      ids: this.ids,
      distances_squared: this.distancesSquared,
    });
    this.groups.set(points, group);
    return group;
  }
}
