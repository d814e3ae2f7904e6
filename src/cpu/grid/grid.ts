/**
 * A grid without a simulation, on the CPU, for particles at given positions. It finds the particles that overlap, that
 * are near a point or in a box, or that a ray meets. Ids are indices into the array of positions.
 *
 *     const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, capacity: 10_000 });
 *     grid.build(positions);
 *     grid.forEachPair((first, second) => …);
 *
 * Inputs: packed positions, `dimensions` numbers per particle, in any order; the grid copies them. Particles whose
 * position is not finite are quarantined and counted. Along axes that wrap, positions may lie up to a period outside
 * the box, and the grid wraps them. Along other axes, particles outside the box belong to its outermost cells.
 * Guarantee: particles overlap if their distance is less than the diameter. In a periodic world, the distance is that
 * of minimum images. Exact tests on the 32-bit coordinates decide, so no pair is missed, added or doubled. `build`,
 * `countPairs` and `forEachPair` allocate nothing that grows with the particles.
 */
import {
  checkDimensions,
  checkFunction,
  checkInteger,
  checkKnownKeys,
  checkPositive,
} from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { defineLevels } from '../../core/world/level-world';
import {
  defineWorld,
  type RadiusRange,
  WORLD_NAMES,
  type World,
  type WorldOptions,
} from '../../core/world/world';
import { findInBox } from '../equal/box';
import { visitNear } from '../equal/near';
import { findNearest, type Nearest } from '../equal/nearest';
import { CellOrder } from '../equal/order';
import { findAlongRay } from '../equal/ray';
import { PairSearch } from '../equal/search';
import { cellOfKey } from '../equal/wrapped';
import { checkCorners, checkGiven, checkNear, checkNearest, checkRay } from '../shared/given';
import { defineLattice, reserve, reservedCells } from '../shared/lattice';
import type { RayHits } from '../shared/ray-walk';
import { CpuLevelGrid } from './level-grid';
import { PairGrid } from './pair-grid';

export interface CpuGridOptions extends WorldOptions {
  /** The greatest number of particles. Memory is reserved for all of them. */
  readonly capacity: number;
  /** Particles overlap if their centres are nearer than this. Cells are at least as wide. */
  readonly diameter: number;
}

/** Options with a range of radii instead of a diameter: each particle has its own radius. */
export interface CpuLevelGridOptions extends WorldOptions {
  /** The greatest number of particles. Memory is reserved for all of them. */
  readonly capacity: number;
  /** Particles smaller than `smallest` are allowed. Particles larger than `largest` are quarantined. */
  readonly radii: RadiusRange;
}

const OPTION_NAMES = ['dimensions', ...WORLD_NAMES, 'capacity', 'diameter', 'radii'] as const;

export function createCpuGrid(options: CpuGridOptions): CpuGrid;
export function createCpuGrid(options: CpuLevelGridOptions): CpuLevelGrid;
export function createCpuGrid(options: CpuGridOptions | CpuLevelGridOptions): CpuGrid | CpuLevelGrid {
  checkKnownKeys('options', options, OPTION_NAMES);
  checkDimensions(options.dimensions);
  if ('radii' in options && options.radii !== undefined) return createLevelGrid(options);
  return createEqualGrid(options as CpuGridOptions);
}

function createLevelGrid(options: CpuLevelGridOptions & { readonly diameter?: unknown }): CpuLevelGrid {
  const { capacity, radii, diameter } = options;
  if (diameter !== undefined) throw new ArgumentError('diameter', diameter, 'left out if radii are given');
  checkKnownKeys('radii', radii, ['smallest', 'largest']);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  const world = defineLevels(options, radii, capacity);
  return reserve(capacity, () => new CpuLevelGrid(world, capacity, radii));
}

function createEqualGrid(options: CpuGridOptions): CpuGrid {
  checkPositive('diameter', options.diameter);
  checkInteger('capacity', options.capacity, 0, MAX_PARTICLES);
  const { capacity, diameter } = options;
  const world = wideEnough(defineWorld(options, diameter, capacity), options);
  return reserve(capacity, () => new CpuGrid(world, capacity, diameter), reservedCells(world));
}

/**
 * Doubles the cell size of an unbounded world if the diameter exceeds it. That happens if rounding the diameter to a
 * 32-bit float lowered it to a power of two.
 */
function wideEnough(world: World, options: CpuGridOptions): World {
  if (world.kind !== 'unbounded' || world.cellSize >= options.diameter) return world;
  return defineWorld({ ...options, cellSize: 2 * world.cellSize }, options.diameter, options.capacity);
}

export class CpuGrid extends PairGrid {
  protected readonly order: CellOrder;
  private readonly search: PairSearch;
  private readonly positions: Float32Array;
  private readonly positionWords: Uint32Array;
  protected readonly busy =
    'This CpuGrid is in the middle of forEachPair, near, inBox or alongRay, so until that method returns you may only call near, nearest, inBox and alongRay.';

  /** Use createCpuGrid, which checks its arguments. */
  constructor(
    world: World,
    capacity: number,
    readonly diameter: number,
  ) {
    super(world, capacity);
    const lattice = defineLattice(world);
    this.order = new CellOrder(lattice, capacity);
    this.search = new PairSearch(this.order, diameter, capacity);
    this.positions = new Float32Array(world.dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
  }

  get memoryBytes(): number {
    const { order, search, positions } = this;
    return order.memoryBytes + search.memoryBytes + positions.byteLength + this.ownBytes;
  }

  /**
   * Returns the cell number of each particle that is not quarantined, in the order of `ids()`, in a new array.
   * core/world/cells.ts defines these numbers; in an unbounded world, they are buckets.
   */
  cells(): Uint32Array {
    const { keys, activeCount, lattice } = this.order;
    const cells = Uint32Array.from(keys.subarray(0, activeCount));
    return this.world.kind === 'periodic' ? cells.map((key) => cellOfKey(lattice, key)) : cells;
  }

  /** Replaces the positions by copies of the first `count` positions. Default: all positions of the array. */
  build(positions: Float32Array, count?: number): void {
    this.checkIdle();
    const particles = checkGiven(positions, count, this.world, this.capacity);
    const [inside, words] = this.wrapPositions(positions, particles);
    this.order.sort(inside, words, particles, this.positionWords);
    this.built = particles;
  }

  /**
   * Calls `visit` for every particle no farther than `radius` from a point, in the order of `ids()`. Any point is
   * allowed, and any radius above 0. In a periodic world, the radius must be at most half the shortest period, or
   * Infinity. Distances there are those of minimum images. Distances are rounded to doubles.
   */
  near(point: readonly number[], radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkFunction('visit', visit);
    checkNear(point, radius, this.order.lattice);
    this.visiting(() => visitNear(this.order, this.positions, point, radius, visit));
  }

  /**
   * Returns the k particles nearest to a point, no farther than `radius`, or fewer if there are fewer. They come by
   * distance, then by id. Any point and any radius above 0 are allowed; the default is Infinity. In a periodic world
   * distances are those of minimum images. Distances are rounded to doubles.
   */
  nearest(point: readonly number[], k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.order.lattice);
    return findNearest(this.order, this.positions, point, k, radius);
  }

  findInBox(min: readonly number[], max: readonly number[]): Uint32Array {
    checkCorners(min, max, this.world);
    return findInBox(this.order, this.positions, min, max);
  }

  /**
   * Calls `visit` for every particle that a ray meets, by distance and then by id. The ray is origin + t · direction
   * with 0 ≤ t ≤ greatestDistance (Infinity is allowed). The ray meets a particle if it comes as near as `radius`
   * to the centre (default and maximum: half the diameter). The distance is the least t at which it does. In a periodic
   * world the ray wraps, up to 64 periods along each axis, and meets each particle only once.
   */
  alongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    visit: (id: number, distance: number) => void,
    radius?: number,
  ): void {
    checkFunction('visit', visit);
    this.visitHits(this.findAlongRay(origin, direction, greatestDistance, radius), visit);
  }

  /** Returns the particles that `alongRay` visits, in new arrays. */
  findAlongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    radius = this.diameter / 2,
  ): RayHits {
    const ray = { origin, direction, greatestDistance };
    checkRay(ray, this.world);
    if (typeof radius !== 'number' || !(radius > 0 && radius <= this.diameter / 2)) {
      const accepted = `greater than 0 and at most ${this.diameter / 2}, half the diameter`;
      throw new ArgumentError('radius', radius, accepted);
    }
    return findAlongRay(this.order, this.positions, ray, radius);
  }

  protected begin(): PairSearch {
    this.search.begin(this.positions, this.order.source);
    return this.search;
  }
}
