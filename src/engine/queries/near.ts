/**
 * Lists, on the GPU, the ids of all particles within a radius of each of many points, which need not be particles.
 * Inputs: the grid as it was last encoded, and points. Outputs: `count`, and `ids`, with those of point i from
 * `offsets[i]` to before `offsets[i + 1]`.
 * Ordering: points in the order of the input, ids ascending. The same input gives the same bits. If a particle is so
 * close to the radius that the device rounds its distance differently when it counts and when it lists, there is a
 * hole: 2³² − 1.
 */
import { checkInteger, checkKnownKeys } from '../../core/base/checks';
import { NO_PARTNER } from '../../core/base/constants';
import { ArgumentError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { checkEncoder, type Gpu } from '../../gpu/device';
import { defineStruct } from '../../gpu/layout';
import { NEAR_FIELDS, Near } from '../../passes/query/near';
import { checkPoints, type KernelGrid } from '../grid/grid-kernel';
import { KernelParameters } from '../grid/kernel-parameters';
import { CountedList } from './counted-list';
import { ListSearch, lastBuilt } from './list-search';
import { breadthFor, checkRadius, checkReach, reachSquared } from './reach';

export interface GridNearOptions {
  /** The largest number of points. */
  readonly points: number;
  /** The largest number of neighbours of all points together; 4 bytes each. */
  readonly capacity: number;
  /**
   * The largest radius of a search. Default: the grid's diameter. If it exceeds a cell, the kernel uses a slower loop.
   * In a periodic world, at most half the shortest period.
   */
  readonly reach?: number | undefined;
}

export interface GridNearInput {
  /** Per point vec2f (2D) or vec4f with w unused (3D; in a grid with `radii` 2D too); usage STORAGE. */
  readonly points: GPUBuffer;
  readonly count: number;
  /** Finds particles nearer than this. Default and maximum: the reach. */
  readonly radius?: number | undefined;
}

/** Lists read back: point (or box) i has the ids from `ids[offsets[i]]` to before `ids[offsets[i + 1]]`. */
export interface ListedNeighbours {
  /** Neighbours found for all points. If the list was too short, this is the capacity that you need. */
  readonly found: number;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
}

export class GridNear extends ListSearch<GPUBindGroup> {
  private constructor(
    grid: KernelGrid,
    /** The largest number of points. */
    readonly points: number,
    /** The largest radius. */
    readonly reach: number,
    private readonly near: Near,
    list: CountedList,
    parameters: KernelParameters,
  ) {
    super(grid, near, list, parameters);
  }

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
    const values = { reach_squared: reachSquared(radius) };
    this.record(encoder, lastBuilt(this.grid, 'nothing is near anything'), {
      label: 'grid.near',
      owners: points,
      count,
      counted: 'point_count',
      values,
    });
  }

  /** Reads the lists of the last submitted search, or of one submitted meanwhile; never a mix. */
  async read(): Promise<ListedNeighbours> {
    const { found, offsets, entries } = await this.list.read(this.lastCount);
    return closeHoles(found, offsets, entries);
  }

  protected bind(points: GPUBuffer) {
    const state = { ...this.gridState, points };
    const { tallies, offsets, list: ids } = this.list;
    return {
      tally: this.near.bind('tally', { ...state, tallies }),
      fill: this.near.bind('fill', { ...state, offsets, ids }),
    };
  }
}

/** Removes the holes, and ends the offsets at the end of the list. */
export function closeHoles(found: number, offsets: Uint32Array, ids: Uint32Array): ListedNeighbours {
  const closed = new Uint32Array(offsets.length);
  let end = 0;
  for (let point = 0; point + 1 < offsets.length; point++) {
    const stop = Math.min(offsets[point + 1] as number, ids.length);
    for (let index = Math.min(offsets[point] as number, ids.length); index < stop; index++) {
      const id = ids[index] as number;
      if (id !== NO_PARTNER) ids[end++] = id;
    }
    closed[point + 1] = end;
  }
  return { found, offsets: closed, ids: end === ids.length ? ids : ids.slice(0, end) };
}
