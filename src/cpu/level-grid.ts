/**
 * Purpose: the grid alone, on the CPU, for particles that each have a radius of their own: which of them overlap, and
 * which centres are near a point. Ids are indices into the arrays.
 *
 *     const grid = createCpuGrid({ dimensions: 2, min, max, radii: { smallest: 1, largest: 64 }, capacity: 10_000 });
 *     grid.build(positions, radii);
 *     grid.forEachPair((first, second) => …);
 *
 * Inputs: packed positions, `dimensions` numbers a particle, and a radius each, in any order; they are copied. Set
 * aside and counted are particles that are not finite, and those whose radius is no number, negative or larger than
 * the largest. Along axes that wrap around, particles are brought in from up to a period outside; elsewhere they may
 * lie anywhere.
 * Guarantee: overlapping means distance < sum of the radii (in a periodic world, of the nearest images) on the real
 * numbers that coordinates and radii are: no pair is missed, added or doubled by rounding. Building and searching
 * allocate nothing, results excepted.
 */
import { ArgumentError, CellstormError } from '../core/errors';
import type { PairList } from '../core/simulation';
import type { RadiusRange, World } from '../core/world';
import { checkGiven, checkNear, checkNearest } from './given';
import { defineLattice } from './lattice';
import { findNearestLevels, visitNearLevels } from './level-near';
import { LevelOrder } from './level-order';
import { LevelSearch } from './level-search';
import type { Nearest } from './nearest';
import { sortPairs } from './search';
import { bringIn } from './wrapped';

export class CpuLevelGrid {
  private readonly order: LevelOrder;
  private readonly search: LevelSearch;
  /** Of periodic worlds, else empty: positions brought into the box, in the order of the input. */
  private readonly inside: Float32Array;
  private readonly insideWords: Uint32Array;
  private found: Uint32Array = new Uint32Array(0);
  private built = 0;
  /** Calls of forEachPair and near under way. */
  private visits = 0;

  /** Use createCpuGrid, which checks its arguments. */
  constructor(
    readonly world: World,
    readonly capacity: number,
    readonly radii: RadiusRange,
  ) {
    this.order = new LevelOrder(defineLattice(world), capacity);
    this.search = new LevelSearch(this.order, capacity);
    this.inside = new Float32Array(world.kind === 'periodic' ? world.dimensions * capacity : 0);
    this.insideWords = new Uint32Array(this.inside.buffer);
  }

  /** Particles of the last build, set-aside ones included. */
  get count(): number {
    return this.built;
  }

  /** Particles set aside: a coordinate is not finite, or the radius is no number, negative or too large. */
  get nonFinite(): number {
    return this.built - this.order.live;
  }

  get memoryBytes(): number {
    const { order, search, inside, found } = this;
    return order.memoryBytes + search.memoryBytes + inside.byteLength + found.byteLength;
  }

  /** Ids in canonical order: buckets of the table ascending, ids ascending inside one, set-aside ones last. A copy. */
  ids(): Uint32Array {
    return this.order.source.slice(0, this.built);
  }

  /** Takes in new positions and radii. `count` particles from the beginning; default: all of them. */
  build(positions: Float32Array, radii: Float32Array, count?: number): void {
    const { dimensions, kind } = this.world;
    this.checkIdle();
    const particles = checkGiven(positions, count, this.world, this.capacity);
    if (!(radii instanceof Float32Array))
      throw new ArgumentError('radii', radii, 'a Float32Array, one a particle');
    const given = positions.length / dimensions;
    if (radii.length !== given) {
      throw new ArgumentError('radii.length', radii.length, `${given}, one for each particle`);
    }
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
    if (kind === 'periodic') {
      this.insideWords.set(words.subarray(0, dimensions * particles));
      bringIn(this.world, this.inside, 0, particles);
      this.order.sort(this.inside, this.insideWords, radii, particles);
    } else {
      this.order.sort(positions, words, radii, particles);
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
   * Calls `visit` for every particle whose centre is no farther than `radius` from a point, in canonical order; its own
   * radius does not matter. Any point and any radius will do, but where the world wraps around, of which distances are
   * those of the nearest images, half the shortest period at most. Distances are rounded as doubles are.
   */
  near(point: readonly number[], radius: number, visit: (id: number, distanceSquared: number) => void): void {
    checkNear(point, radius, this.order.lattice);
    this.visits++;
    try {
      visitNearLevels(this.order, point, radius, visit);
    } finally {
      this.visits--;
    }
  }

  /**
   * The k particles whose centres are nearest to a point and no farther than `radius`, or as many as there are: the
   * nearest first, of those equally far the lower id; their own radii do not matter. Any point and any radius;
   * default: however far. Where the world wraps around, distances are those of the nearest images. Distances are
   * rounded as doubles are.
   */
  nearest(point: readonly number[], k: number, radius = Number.POSITIVE_INFINITY): Nearest {
    checkNearest(point, k, radius, this.order.lattice);
    return findNearestLevels(this.order, point, k, radius);
  }

  private beginSearch(): LevelSearch {
    this.checkIdle();
    this.search.begin();
    return this.search;
  }

  private checkIdle(): void {
    if (this.visits > 0) {
      throw new CellstormError(
        'This CpuLevelGrid is in the middle of forEachPair or near, so until that returns it can only be asked for near and nearest.',
      );
    }
  }
}
