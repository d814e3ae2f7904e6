/**
 * A grid on the CPU for particles with variable radii.
 * Guarantee: exact tests on the 32-bit numbers decide which particles overlap, so no pair is missed, added or doubled.
 * `build`, `countPairs` and `forEachPair` allocate nothing that grows with the particles.
 */
import { checkDimensions, checkFunction, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import { defineLevels } from '../../core/world/level-world';
import { type RadiusRange, WORLD_NAMES, type World, type WorldOptions } from '../../core/world/world';
import type { Nearest } from '../equal/nearest';
import { findInBoxLevels } from '../levels/box';
import { findNearestLevels, visitNearLevels } from '../levels/near';
import { LevelOrder } from '../levels/order';
import { findAlongRayLevels } from '../levels/ray';
import { LevelSearch } from '../levels/search';
import { checkCorners, checkGiven, checkNear, checkNearest, checkRay } from '../shared/given';
import { defineLattice, reserve } from '../shared/lattice';
import type { RayHits } from '../shared/ray-walk';
import { PairGrid } from './pair-grid';

/** Options of `createCpuLevelGrid`. */
export interface CpuLevelGridOptions extends WorldOptions {
  /** Greatest number of particles. Memory is reserved for all of them. */
  readonly capacity: number;
  /** Range of radii. Smaller particles are allowed; larger ones are quarantined. */
  readonly radii: RadiusRange;
}

const OPTION_NAMES = ['dimensions', ...WORLD_NAMES, 'capacity', 'radii'] as const;

/**
 * Creates a grid for particles with radii of their own.
 *
 * @example
 * ```ts
 * const range = { smallest: 1, largest: 8 };
 * const grid = createCpuLevelGrid({ dimensions: 2, min: [0, 0], max: [100, 100], radii: range, capacity: 100 });
 * const positions = Float32Array.from({ length: 200 }, () => 100 * Math.random());
 * grid.build(positions, new Float32Array(100).fill(2));
 * const { count, pairs } = grid.findPairs();
 * ```
 */
export function createCpuLevelGrid(options: CpuLevelGridOptions): CpuLevelGrid {
  checkKnownKeys('options', options, OPTION_NAMES);
  checkDimensions(options.dimensions);
  const { capacity, radii } = options;
  checkKnownKeys('radii', radii, ['smallest', 'largest']);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  const world = defineLevels(options, radii, capacity);
  return reserve(capacity, () => new CpuLevelGrid(world, capacity, radii));
}

/**
 * A grid without a simulation, for particles with radii of their own at positions that you give. Ids are indices into
 * the arrays. Along axes that wrap, positions may lie up to a period outside the box. Particles are quarantined if
 * their position is not finite, or if their radius is NaN, negative or above `radii.largest`.
 */
export class CpuLevelGrid extends PairGrid {
  protected readonly order: LevelOrder;
  private readonly search: LevelSearch;
  protected readonly busy =
    'This CpuLevelGrid is running forEachPair, near, inBox or alongRay. Until that method returns, call only near, nearest, inBox and alongRay.';
  protected readonly filling = 'build(positions, radii)';

  /** Use createCpuLevelGrid, which checks its arguments. @hideconstructor */
  constructor(
    world: World,
    capacity: number,
    /** Range of radii, as in the options. */
    readonly radii: RadiusRange,
  ) {
    super(world, capacity);
    this.order = new LevelOrder(defineLattice(world), capacity);
    this.search = new LevelSearch(this.order, capacity);
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    return this.order.memoryBytes + this.search.memoryBytes + this.ownBytes;
  }

  /**
   * Replaces the grid's particles by copies of the first `count` positions and radii. Default: all particles of the
   * arrays.
   */
  build(positions: Float32Array, radii: Float32Array, count?: number): void {
    this.checkIdle();
    const particles = checkGiven(positions, count, this.world, this.capacity);
    if (!(radii instanceof Float32Array))
      throw new ArgumentError('radii', radii, 'a Float32Array with one radius per particle');
    const given = positions.length / this.world.dimensions;
    if (radii.length !== given) {
      throw new ArgumentError('radii.length', radii.length, `${given}, one for each particle`);
    }
    const [inside, words] = this.wrapPositions(positions, particles);
    this.order.sort(inside, words, radii, particles);
    this.built = particles;
  }

  /**
   * Calls `visit` for every particle whose centre is no farther than `radius` from a point, in the order of `ids()`.
   * `radius` must be above 0; in a periodic world, also at most half the shortest period, or Infinity. Distances are
   * those of minimum images, rounded to doubles.
   */
  near(point: readonly number[], radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkFunction('visit', visit);
    checkNear(point, radius, this.order.lattice);
    this.checkBuilt();
    this.visiting(() => visitNearLevels(this.order, point, radius, visit));
  }

  /**
   * Returns the k particles whose centres are nearest to a point, no farther than `radius`, by distance and then by id.
   * There may be fewer. Distances are those of minimum images, rounded to doubles. Default radius: Infinity.
   */
  nearest(point: readonly number[], k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.order.lattice);
    this.checkBuilt();
    return findNearestLevels(this.order, point, k, radius);
  }

  /** Returns the ids that `inBox` visits, in a new array. */
  findInBox(min: readonly number[], max: readonly number[]): Uint32Array {
    checkCorners(min, max, this.world);
    this.checkBuilt();
    return findInBoxLevels(this.order, min, max);
  }

  /**
   * Calls `visit` for every particle that a ray meets, by distance and then by id. The ray is origin + t · direction
   * with 0 ≤ t ≤ greatestDistance, which may be Infinity. A particle's distance is the least t whose point is in its
   * ball. In a periodic world the ray wraps, up to 64 periods along each axis, and meets each particle only once. Leave
   * out `radius`.
   */
  alongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    visit: (id: number, distance: number) => void,
    radius?: undefined,
  ): void {
    checkFunction('visit', visit);
    this.visitHits(this.findAlongRay(origin, direction, greatestDistance, radius), visit);
  }

  /** Returns the particles that `alongRay` visits, in new arrays. Leave out `radius`. */
  findAlongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    radius?: undefined,
  ): RayHits {
    const ray = { origin, direction, greatestDistance };
    checkRay(ray, this.world);
    if (radius !== undefined) {
      throw new ArgumentError('radius', radius, 'left out, because each ball has its own radius');
    }
    this.checkBuilt();
    return findAlongRayLevels(this.order, ray);
  }

  protected override candidates(): number {
    return this.search.countCandidates();
  }

  protected begin(): LevelSearch {
    this.search.begin();
    return this.search;
  }
}
