/**
 * A grid on the CPU for particles of one diameter.
 * Guarantee: exact tests on the 32-bit coordinates decide which particles overlap, so no pair is missed, added or
 * doubled. `build`, `countPairs` and `forEachPair` allocate nothing that grows with the particles.
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
import type { PairList } from '../../core/simulation/simulation';
import { defineWorld, WORLD_NAMES, type World, type WorldOptions } from '../../core/world/world';
import { findInBox } from '../equal/box';
import { countCandidates } from '../equal/candidates';
import { visitNear } from '../equal/near';
import { findNearest, type Nearest } from '../equal/nearest';
import { CellOrder } from '../equal/order';
import { findAlongRay } from '../equal/ray';
import { PairSearch } from '../equal/search';
import { cellOfKey } from '../equal/wrapped';
import { checkCorners, checkGiven, checkNear, checkNearest, checkRay } from '../shared/given';
import { defineLattice, reserve, reservedCells } from '../shared/lattice';
import type { RayHits } from '../shared/ray-walk';
import type { Threading } from '../threads/control';
import type { GridMemberOptions } from './grid-member';
import type { GridTeam } from './grid-team';
import { PairGrid } from './pair-grid';

/** Options of a grid for particles of one diameter. */
export interface GridOptions extends WorldOptions {
  /** Greatest number of particles. Memory is reserved for all of them. */
  readonly capacity: number;
  /** Particles overlap if their centres are nearer than this. Cells are at least as wide. */
  readonly diameter: number;
}

const OPTION_NAMES = ['dimensions', ...WORLD_NAMES, 'capacity', 'diameter', 'radii'] as const;

/** Creates a grid in one thread, or in several if `hire` starts a team. */
export function createGrid(
  options: GridOptions,
  hire?: (options: Omit<GridMemberOptions, 'threads'>) => Threading<GridTeam>,
): CpuGrid {
  checkKnownKeys('options', options, OPTION_NAMES);
  const { capacity, diameter, radii } = options as GridOptions & { readonly radii?: unknown };
  if (radii !== undefined) {
    throw new ArgumentError(
      'radii',
      radii,
      'left out: createCpuLevelGrid takes particles with radii of their own',
    );
  }
  checkDimensions(options.dimensions);
  checkPositive('diameter', diameter);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  const world = wideEnough(defineWorld(options, diameter, capacity), options);
  return reserve(
    capacity,
    () => new CpuGrid(world, capacity, diameter, hire?.({ world, capacity, diameter })),
    reservedCells(world),
  );
}

/** Doubles the cell size of an unbounded world if rounding has made it smaller than the diameter. */
function wideEnough(world: World, options: GridOptions): World {
  if (world.kind !== 'unbounded' || world.cellSize >= options.diameter) return world;
  return defineWorld({ ...options, cellSize: 2 * world.cellSize }, options.diameter, options.capacity);
}

/**
 * A grid without a simulation, for particles of one diameter at positions that you give. Ids are indices into the array
 * of positions. Along axes that wrap, positions may lie up to a period outside the box. Particles whose position is not
 * finite are quarantined.
 */
export class CpuGrid extends PairGrid {
  protected readonly order: CellOrder;
  private readonly search: PairSearch;
  private readonly positions: Float32Array;
  private readonly positionWords: Uint32Array;
  /** Undefined with one thread. */
  private readonly team: GridTeam | undefined;
  protected readonly busy =
    'This CpuGrid is running forEachPair, near, inBox or alongRay. Until that method returns, call only near, nearest, inBox and alongRay.';
  protected readonly filling = 'build(positions)';

  /** Use createCpuGrid, which checks its arguments. @hideconstructor */
  constructor(
    world: World,
    capacity: number,
    /** Particles overlap if their centres are nearer than this. */
    readonly diameter: number,
    private readonly threading: Threading<GridTeam> = {},
  ) {
    super(world, capacity);
    this.team = threading.team;
    const lattice = defineLattice(world);
    const { order = new CellOrder(lattice, capacity), search, positions } = this.team?.member ?? {};
    this.order = order;
    this.search = search ?? new PairSearch(order, diameter, capacity);
    this.positions = positions ?? new Float32Array(world.dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
  }

  /** Threads at work now: 1 at first; workers join when they have started. */
  get threads(): number {
    return this.team?.threads ?? 1;
  }

  /** Says why there are fewer threads than the options ask for; otherwise empty. */
  get warnings(): readonly string[] {
    return this.threading.warnings ?? this.team?.warnings ?? [];
  }

  /** Ends the workers. The grid remains usable, with one thread. */
  destroy(): void {
    this.team?.end();
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    const { order, search, positions, team } = this;
    if (team) return team.member.memoryBytes + this.ownBytes;
    return order.memoryBytes + search.memoryBytes + positions.byteLength + this.ownBytes;
  }

  /**
   * Returns, in a new array, the cell number of each particle that is not quarantined, in the order of `ids()`. In an
   * unbounded world, these are the numbers of buckets.
   */
  cells(): Uint32Array {
    this.checkBuilt();
    const { keys, activeCount, lattice } = this.order;
    const cells = Uint32Array.from(keys.subarray(0, activeCount));
    return this.world.kind === 'periodic' ? cells.map((key) => cellOfKey(lattice, key)) : cells;
  }

  /** Replaces the grid's particles by copies of the first `count` positions. Default: all positions of the array. */
  build(positions: Float32Array, count?: number): void {
    this.checkIdle();
    const particles = checkGiven(positions, count, this.world, this.capacity);
    if (this.team?.isWorth(particles)) {
      this.team.build(positions, particles);
    } else {
      const [inside, words] = this.wrapPositions(positions, particles);
      this.order.sort(inside, words, particles, this.positionWords);
    }
    this.built = particles;
  }

  override countPairs(): number {
    const { team } = this;
    if (!team?.isWorth(this.count)) return super.countPairs();
    this.checkIdle();
    return team.countPairs();
  }

  override collectPairs(): PairList {
    const { team } = this;
    if (!team?.isWorth(this.count)) return super.collectPairs();
    this.checkIdle();
    return team.collectPairs();
  }

  /**
   * Calls `visit` for every particle no farther than `radius` from a point, in the order of `ids()`. `radius` must be
   * above 0; in a periodic world, also at most half the shortest period, or Infinity. Distances are those of minimum
   * images, rounded to doubles.
   */
  near(point: readonly number[], radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkFunction('visit', visit);
    checkNear(point, radius, this.order.lattice);
    this.checkBuilt();
    this.visiting(() => visitNear(this.order, this.positions, point, radius, visit));
  }

  /**
   * Returns the k particles nearest to a point, no farther than `radius`, by distance and then by id. There may be
   * fewer. Distances are those of minimum images, rounded to doubles. Default radius: Infinity.
   */
  nearest(point: readonly number[], k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.order.lattice);
    this.checkBuilt();
    return findNearest(this.order, this.positions, point, k, radius);
  }

  /** Returns the ids that `inBox` visits, in a new array. */
  findInBox(min: readonly number[], max: readonly number[]): Uint32Array {
    checkCorners(min, max, this.world);
    this.checkBuilt();
    return findInBox(this.order, this.positions, min, max);
  }

  /**
   * Calls `visit` for every particle that a ray meets, by distance and then by id. The ray is origin + t · direction
   * with 0 ≤ t ≤ greatestDistance, which may be Infinity. A particle's distance is the least t whose point is within
   * `radius` of its centre. Default and greatest radius: half the diameter. In a periodic world the ray wraps, up to 64
   * periods along each axis, and meets each particle only once.
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
    this.checkBuilt();
    return findAlongRay(this.order, this.positions, ray, radius);
  }

  protected override checkBuilt(): void {
    this.team?.check();
    super.checkBuilt();
  }

  protected override candidates(): number {
    return countCandidates(this.order);
  }

  protected begin(): PairSearch {
    this.search.begin(this.positions, this.order.source);
    return this.search;
  }
}
