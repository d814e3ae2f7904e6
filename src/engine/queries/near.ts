/** Lists the particles near points. Ordering: points in the order of the input; the ids of each point ascending. */
import { checkInteger, checkKnownKeys } from '../../core/base/checks';
import { NO_PARTNER } from '../../core/base/constants';
import { ArgumentError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { checkEncoder, type Gpu } from '../../gpu/device';
import { defineStruct } from '../../gpu/layout';
import { NEAR_FIELDS, Near } from '../../passes/query/near';
import { checkPoints, type KernelGrid } from '../grid/grid-kernel';
import { KernelParameters } from '../grid/kernel-parameters';
import { CountedList, checkListFits, checkOwnersFit } from './counted-list';
import { ListSearch, lastBuilt } from './list-search';
import { breadthFor, checkRadius, checkReach, reachSquared } from './reach';

/** Options of `HashGrid.near`. */
export interface GridNearOptions {
  /** The largest number of points. */
  readonly points: number;
  /** The largest number of neighbours that the lists of all points hold together. A neighbour takes 4 bytes. */
  readonly capacity: number;
  /**
   * The largest radius of a search: at least 2^-40, and in a periodic world at most half the shortest period. If it
   * is larger than a cell, the search is slower. Default: the grid's diameter.
   */
  readonly reach?: number | undefined;
}

/** Points for one search. */
export interface GridNearInput {
  /**
   * One vec2f (2D) or vec4f with w unused (3D) per point. If the grid has `radii`, a point is a vec4f in 2D, too. Usage
   * STORAGE.
   */
  readonly points: GPUBuffer;
  /** Number of points. */
  readonly count: number;
  /** The search finds particles nearer than this. Default and maximum: the option `reach`. */
  readonly radius?: number | undefined;
}

/** Lists of ids, read back from the GPU. */
export interface ListedNeighbours {
  /** Number of ids found. If it exceeds the capacity, create a search whose capacity is at least this number. */
  readonly found: number;
  /** The ids of point (or box) i are `ids.subarray(offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** The ids of all points (or boxes), one after another. */
  readonly ids: Uint32Array;
}

/**
 * Lists on the GPU the ids of the particles near each point, ascending. The points need not be particles. If a distance
 * equals the radius to within rounding, `ids` may have a hole: the number 2³² − 1. `read` leaves out holes.
 */
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

  /** @internal HashGrid creates it. */
  static async create(gpu: Gpu, grid: KernelGrid, options: GridNearOptions): Promise<GridNear> {
    checkKnownKeys('options', options, ['points', 'capacity', 'reach']);
    const { points, capacity, reach = grid.world.diameter } = options;
    checkInteger('points', points, 1, MAX_PARTICLES);
    checkReach('reach', grid.world, reach);
    const { dimensions } = grid.world;
    const listed = { capacity, words: 1, entries: 'neighbours' } as const;
    checkListFits(gpu, listed);
    checkOwnersFit(gpu, 'points', points);
    const passes = await Near.create(gpu, grid.world, breadthFor(grid.world, reach));
    const list = await CountedList.create(gpu, {
      label: 'grid.near',
      dimensions,
      owners: points,
      ...listed,
      recorded: grid.recorded,
    });
    const layout = defineStruct(dimensions, NEAR_FIELDS);
    const parameters = await KernelParameters.create(gpu, 'grid.near', layout).catch((error: unknown) => {
      list.destroy();
      throw error;
    });
    return new GridNear(grid, points, reach, passes, list, parameters);
  }

  /** Records the search in the grid as it was last encoded, so encode the grid first. Submit the encoder yourself. */
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
    this.record(encoder, lastBuilt(this.grid), {
      label: 'grid.near',
      owners: points,
      count,
      counted: 'point_count',
      values,
    });
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
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

/** Removes the holes from lists. Changes `ids` in place. */
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
