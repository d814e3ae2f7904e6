/**
 * Purpose: the grid alone, on the CPU: which particles of a positions array overlap, and which are near a
 * point. Ids are indices into the array.
 *
 *     const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, capacity: 10_000 });
 *     grid.build(positions);
 *     grid.forEachPair((first, second) => …);
 *
 * Inputs: packed positions, `dimensions` numbers a particle, in any order; they are copied. Particles that are
 * not finite are set aside and counted; particles outside the box belong to its outermost cells, or along axes
 * that wrap around, are brought in from up to a period outside.
 * Guarantee: overlapping means distance < diameter (in a periodic world, of the nearest images) on the real
 * numbers that the coordinates are: no pair is missed, added or doubled by rounding. Building and searching
 * allocate nothing, results excepted.
 */
import { checkDimensions, checkInteger, checkKnownKeys, checkPositive, checkVector } from '../core/checks';
import { ArgumentError, CellstormError } from '../core/errors';
import { MAX_PARTICLES, type PairList } from '../core/simulation';
import {
  defineLevels,
  defineWorld,
  type RadiusRange,
  WORLD_NAMES,
  type World,
  type WorldOptions,
} from '../core/world';
import { findInBox } from './box';
import { checkGiven, checkNear, checkNearest } from './given';
import { defineLattice, reserve } from './lattice';
import { CpuLevelGrid } from './level-grid';
import { visitNear } from './near';
import { findNearest, type Nearest } from './nearest';
import { CellOrder } from './order';
import { findAlongRay, type RayHits } from './ray';
import { PairSearch, sortPairs } from './search';
import { bringIn, cellOfKey } from './wrapped';

export interface CpuGridOptions extends WorldOptions {
  /** Particles at most; memory is reserved for all of them. */
  readonly capacity: number;
  /** Particles nearer than this overlap. Cells are at least as large. */
  readonly diameter: number;
}

/** Instead of a diameter, where each particle has a radius of its own: from when on, and up to what. */
export interface CpuLevelGridOptions extends WorldOptions {
  /** Particles at most; memory is reserved for all of them. */
  readonly capacity: number;
  /** Smaller ones than the smallest are welcome, larger ones than the largest are set aside. */
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
  if (diameter !== undefined) throw new ArgumentError('diameter', diameter, 'left out where radii are given');
  checkKnownKeys('radii', radii, ['smallest', 'largest']);
  checkInteger('capacity', capacity, 0, MAX_PARTICLES);
  const world = defineLevels(options, radii, capacity);
  const place = { kind: 'unbounded', cells: [] } as const;
  return reserve(place, capacity, () => new CpuLevelGrid(world, capacity, radii));
}

function createEqualGrid(options: CpuGridOptions): CpuGrid {
  checkPositive('diameter', options.diameter);
  checkInteger('capacity', options.capacity, 0, MAX_PARTICLES);
  const { capacity, diameter } = options;
  const world = wideEnough(defineWorld(options, diameter, capacity), options);
  return reserve(world, capacity, () => new CpuGrid(world, capacity, diameter));
}

/** Cells of an unbounded world are a power of two, which a diameter that is no 32-bit float may be just above. */
function wideEnough(world: World, options: CpuGridOptions): World {
  if (world.kind !== 'unbounded' || world.cellSize >= options.diameter) return world;
  return defineWorld({ ...options, cellSize: 2 * world.cellSize }, options.diameter, options.capacity);
}

export class CpuGrid {
  private readonly order: CellOrder;
  private readonly search: PairSearch;
  private readonly positions: Float32Array;
  private readonly positionWords: Uint32Array;
  /** Of periodic worlds, else empty: positions brought into the box, in the order of the input. */
  private readonly inside: Float32Array;
  private readonly insideWords: Uint32Array;
  private found: Uint32Array = new Uint32Array(0);
  private built = 0;
  /** Calls of forEachPair, near, inBox and alongRay under way. */
  private visits = 0;

  /** Use createCpuGrid, which checks its arguments. */
  constructor(
    readonly world: World,
    readonly capacity: number,
    readonly diameter: number,
  ) {
    const lattice = defineLattice(world);
    this.order = new CellOrder(lattice, capacity);
    this.search = new PairSearch(this.order, diameter, capacity);
    this.positions = new Float32Array(world.dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
    this.inside = new Float32Array(world.kind === 'periodic' ? this.positions.length : 0);
    this.insideWords = new Uint32Array(this.inside.buffer);
  }

  /** Particles of the last build, set-aside ones included. */
  get count(): number {
    return this.built;
  }

  /** Particles set aside because a coordinate is not finite. */
  get nonFinite(): number {
    return this.built - this.order.live;
  }

  get memoryBytes(): number {
    const { order, search, positions, inside, found } = this;
    return (
      order.memoryBytes + search.memoryBytes + positions.byteLength + inside.byteLength + found.byteLength
    );
  }

  /** Ids in canonical order: cells ascending, ids ascending inside a cell, set-aside ones last. A copy. */
  ids(): Uint32Array {
    return this.order.source.slice(0, this.built);
  }

  /** Cell number (unbounded: bucket), as in core/cells.ts, of each of `ids()` that is not set aside. A copy. */
  cells(): Uint32Array {
    const { keys, live, lattice } = this.order;
    const cells = Uint32Array.from(keys.subarray(0, live));
    return this.world.kind === 'periodic' ? cells.map((key) => cellOfKey(lattice, key)) : cells;
  }

  /** Takes in new positions. `count` particles from the beginning; default: all of them. */
  build(positions: Float32Array, count?: number): void {
    const { dimensions } = this.world;
    this.checkIdle();
    const particles = checkGiven(positions, count, this.world, this.capacity);
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
    if (this.world.kind === 'periodic') {
      this.insideWords.set(words.subarray(0, dimensions * particles));
      bringIn(this.world, this.inside, 0, particles);
      this.order.sort(this.inside, this.insideWords, particles, this.positionWords);
    } else {
      this.order.sort(positions, words, particles, this.positionWords);
    }
    this.built = particles;
  }

  /** Overlapping pairs. */
  countPairs(): number {
    const search = this.beginSearch();
    let length = 0;
    while (search.advance()) length += search.task.length;
    return length / 2;
  }

  /**
   * Every overlapping pair once, the lower id first, in no particular order of pairs: the fastest way. The
   * array belongs to the grid, is longer than the `2 · count` words in use, and is reused by the next call.
   */
  collectPairs(): PairList {
    const search = this.beginSearch();
    this.found = search.collectInto(this.found);
    return { count: search.task.length / 2, pairs: this.found };
  }

  /** Every overlapping pair once, sorted by the first id and then the second, in an array of their own. */
  findPairs(): PairList {
    const { count, pairs } = this.collectPairs();
    return { count, pairs: sortPairs(pairs, 2 * count, this.built) };
  }

  /** Calls `visit` for every overlapping pair once, the lower id first; takes no memory for the pairs. */
  forEachPair(visit: (first: number, second: number) => void): void {
    const search = this.beginSearch();
    this.visits++;
    try {
      while (search.advance()) {
        const { words, length } = search.task;
        for (let word = 0; word < length; word += 2) visit(words[word] as number, words[word + 1] as number);
      }
    } finally {
      this.visits--;
    }
  }

  /**
   * Calls `visit` for every particle no farther than `radius` from a point, in canonical order. Any point and
   * any radius will do, but where the world wraps around, of which distances are those of the nearest images, half
   * the shortest period at most. Distances are rounded as doubles are.
   */
  near(point: readonly number[], radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkNear(point, radius, this.order.lattice);
    this.visits++;
    try {
      visitNear(this.order, this.positions, point, radius, visit);
    } finally {
      this.visits--;
    }
  }

  /**
   * The k particles nearest to a point and no farther than `radius`, or as many as there are: the nearest first, of
   * those equally far the lower id. Any point and any radius; default: however far. Where the world wraps around,
   * distances are those of the nearest images. Distances are rounded as doubles are.
   */
  nearest(point: readonly number[], k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.order.lattice);
    return findNearest(this.order, this.positions, point, k, radius);
  }

  /**
   * Calls `visit` for every particle whose centre is in a box, bounds included, ids ascending. Any box will do: of one
   * whose `min` is above its `max` along an axis nothing is in it. Where the world wraps around, a particle is in a box
   * if one of its images is.
   */
  inBox(min: readonly number[], max: readonly number[], visit: (id: number) => void): void {
    const ids = this.findInBox(min, max);
    this.visits++;
    try {
      for (const id of ids) visit(id);
    } finally {
      this.visits--;
    }
  }

  /** The same as an array of its own. */
  findInBox(min: readonly number[], max: readonly number[]): Uint32Array {
    checkVector('min', min, this.world.dimensions);
    checkVector('max', max, this.world.dimensions);
    return findInBox(this.order, this.positions, min, max);
  }

  /**
   * Calls `visit` for every ball around a particle that a ray meets, by distance and then by id. The ray is the places
   * origin + t · direction with 0 ≤ t ≤ greatestDistance (Infinity will do); a ball is met if its centre is no farther
   * from one of them than `radius` (half the diameter, and that at most), and the least such t is its distance. Where
   * the world wraps around, so does the ray, up to 64 periods, and a ball counts where it is first met.
   */
  alongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    visit: (id: number, distance: number) => void,
    radius?: number,
  ): void {
    const { ids, distances } = this.findAlongRay(origin, direction, greatestDistance, radius);
    this.visits++;
    try {
      ids.forEach((id, index) => {
        visit(id, distances[index] as number);
      });
    } finally {
      this.visits--;
    }
  }

  /** The same as arrays of their own. */
  findAlongRay(
    origin: readonly number[],
    direction: readonly number[],
    greatestDistance: number,
    radius = this.diameter / 2,
  ): RayHits {
    const { dimensions } = this.world;
    checkVector('origin', origin, dimensions);
    checkVector('direction', direction, dimensions);
    const squared = direction.reduce((sum, value) => sum + value * value, 0);
    if (!(squared >= 2 ** -200)) throw new ArgumentError('direction', direction, 'at least 2^-100 long');
    if (typeof greatestDistance !== 'number' || !(greatestDistance >= 0)) {
      throw new ArgumentError('greatestDistance', greatestDistance, 'a number of at least 0, or Infinity');
    }
    if (typeof radius !== 'number' || !(radius > 0 && radius <= this.diameter / 2)) {
      const accepted = `greater than 0 and at most ${this.diameter / 2}, half the diameter`;
      throw new ArgumentError('radius', radius, accepted);
    }
    return findAlongRay(this.order, this.positions, origin, direction, greatestDistance, radius);
  }

  private beginSearch(): PairSearch {
    this.checkIdle();
    this.search.begin(this.positions, this.order.source);
    return this.search;
  }

  private checkIdle(): void {
    if (this.visits > 0) {
      throw new CellstormError(
        'This CpuGrid is in the middle of forEachPair, near, inBox or alongRay, so until that returns it can only be asked for near, nearest, inBox and alongRay.',
      );
    }
  }
}
