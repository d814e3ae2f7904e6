/**
 * Neighbour queries on the GPU: for each of many points, particles or not, the ids of all particles within
 * a radius.
 * Inputs: the grid as it was last encoded, points. Outputs: `ids`, those of point i from `offsets[i]` to
 * `offsets[i + 1]`, and `count`.
 * Ordering: points as they come, ids ascending. The same input gives the same bits. A particle so close to the radius
 * that a device rounds its distance in one way when it counts and in another when it lists leaves a hole, 2³² − 1.
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
  /** For each point vec2f (2D) or vec4f with w unused (3D; in a grid with `radii` 2D too); usage STORAGE. */
  readonly points: GPUBuffer;
  readonly count: number;
  /** Particles nearer than this. Default, and at most: the reach. */
  readonly radius?: number | undefined;
}

/** Lists read back: the neighbours of point i (the particles in box i) are `ids[offsets[i]]` up to, but not, `ids[offsets[i + 1]]`. */
export interface ListedNeighbours {
  /** Neighbours found for all points. If the list was too short, this is the capacity that you need. */
  readonly found: number;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
}

export class GridNear extends ListSearch<GPUBindGroup> {
  private constructor(
    grid: KernelGrid,
    /** Points at most. */
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
      askers: points,
      count,
      counted: 'point_count',
      values,
    });
  }

  /** The lists of the last search that was submitted, or of one that is submitted meanwhile: never a mix. */
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
