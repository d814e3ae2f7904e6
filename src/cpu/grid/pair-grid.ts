/**
 * Purpose: what the CPU's grids have in common, whatever decides an overlap: what a search finds, handed out in the
 * forms that callers like, and positions brought into a world that wraps around.
 * Guarantee: while a caller is being visited, the grid is not built, and its pairs are not searched anew.
 */
import { checkFunction } from '../../core/base/checks';
import { CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { wrapOnceIn } from '../equal/wrapped';
import type { RayHits } from '../shared/ray-walk';

/** A search that goes over the pairs in portions, or collects them all. */
interface PortionedSearch {
  /** Pairs found, the lower name first. */
  readonly task: { readonly words: Uint32Array; readonly length: number };
  /** Fills the task with the next portion; false when there are no more pairs. */
  advance(): boolean;
  collectInto(words: Uint32Array): Uint32Array;
}

/** Who orders the particles: which come first, and how many are not set aside. */
interface Order {
  readonly source: Uint32Array;
  readonly live: number;
}

export abstract class PairGrid {
  /** Of periodic worlds, else empty: positions brought into the box, in the order of the input. */
  private readonly inside: Float32Array;
  private readonly insideWords: Uint32Array;
  private found: Uint32Array = new Uint32Array(0);
  protected built = 0;
  /** Calls of the caller's functions under way. */
  private visits = 0;

  constructor(
    readonly world: World,
    readonly capacity: number,
  ) {
    this.inside = new Float32Array(world.kind === 'periodic' ? world.dimensions * capacity : 0);
    this.insideWords = new Uint32Array(this.inside.buffer);
  }

  protected abstract readonly order: Order;

  /** Starts over with the pairs of the last build. */
  protected abstract begin(): PortionedSearch;

  /** The sentence for callers who build or search while they are visited. */
  protected abstract readonly busy: string;

  /** Particles of the last build, set-aside ones included. */
  get count(): number {
    return this.built;
  }

  /** Particles set aside: a coordinate is not finite, or where each has a radius, that is of no use. */
  get nonFinite(): number {
    return this.built - this.order.live;
  }

  protected get ownBytes(): number {
    return this.inside.byteLength + this.found.byteLength;
  }

  /** Ids in canonical order: cells (or buckets of a table) ascending, ids ascending in each, set-aside ones last. A copy. */
  ids(): Uint32Array {
    return this.order.source.slice(0, this.built);
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
    checkFunction('visit', visit);
    const search = this.beginSearch();
    this.visiting(() => {
      while (search.advance()) {
        const { words, length } = search.task;
        for (let word = 0; word < length; word += 2) visit(words[word] as number, words[word + 1] as number);
      }
    });
  }

  abstract near(
    point: readonly number[],
    radius: number,
    visit: (id: number, distanceSquared: number) => void,
  ): void;

  /** Those that `near` visits, ids ascending, as an array of its own. */
  findNear(point: readonly number[], radius: number): Uint32Array {
    const found: number[] = [];
    this.near(point, radius, (id) => found.push(id));
    return Uint32Array.from(found).sort();
  }

  /**
   * Calls `visit` for every particle whose centre is in a box, bounds included, ids ascending. Any box will do: of one
   * whose `min` is above its `max` along an axis nothing is in it. Where the world wraps around, a particle is in a box
   * if one of its images is.
   */
  inBox(min: readonly number[], max: readonly number[], visit: (id: number) => void): void {
    checkFunction('visit', visit);
    const ids = this.findInBox(min, max);
    this.visiting(() => {
      for (const id of ids) visit(id);
    });
  }

  /** The same as an array of its own. */
  abstract findInBox(min: readonly number[], max: readonly number[]): Uint32Array;

  protected visitHits({ ids, distances }: RayHits, visit: (id: number, distance: number) => void): void {
    this.visiting(() => {
      ids.forEach((id, index) => {
        visit(id, distances[index] as number);
      });
    });
  }

  /** The first positions of the caller's, in a world that wraps around brought in, as numbers and as words. */
  protected wrapPositions(positions: Float32Array, particles: number): readonly [Float32Array, Uint32Array] {
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
    if (this.world.kind !== 'periodic') return [positions, words];
    this.insideWords.set(words.subarray(0, this.world.dimensions * particles));
    wrapOnceIn(this.world, this.inside, 0, particles);
    return [this.inside, this.insideWords];
  }

  /** Runs what calls a function of the caller's. */
  protected visiting(run: () => void): void {
    this.visits++;
    try {
      run();
    } finally {
      this.visits--;
    }
  }

  protected checkIdle(): void {
    if (this.visits > 0) throw new CellstormError(this.busy);
  }

  private beginSearch(): PortionedSearch {
    this.checkIdle();
    return this.begin();
  }
}
