/**
 * The base of the CPU's grids. Subclasses decide which particles overlap.
 * Guarantee: while a `visit` function runs, building the grid or searching it for pairs throws.
 */
import { checkFunction } from '../../core/base/checks';
import { CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import type { World } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { wrapOnceIn } from '../shared/overlap';
import type { RayHits } from '../shared/ray-walk';

interface PortionedSearch {
  /** Two ids per pair, the lower id first. */
  readonly task: { readonly words: Uint32Array; readonly length: number };
  /** Fills the task. Returns false if there are no more pairs. */
  advance(): boolean;
  collectInto(words: Uint32Array): Uint32Array;
}

interface Order {
  /** Per slot, the particle's index in the input. */
  readonly source: Uint32Array;
  readonly activeCount: number;
}

/** The common part of `CpuGrid` and `CpuLevelGrid`. */
export abstract class PairGrid {
  /** In periodic worlds, the wrapped positions in the order of the input; otherwise empty. */
  private readonly inside: Float32Array;
  private readonly insideWords: Uint32Array;
  private found: Uint32Array = new Uint32Array(0);
  /** Number of particles of the last build; undefined before the first build. */
  protected built: number | undefined;
  private visits = 0;

  constructor(
    /** The world. */
    readonly world: World,
    /** Greatest number of particles. */
    readonly capacity: number,
  ) {
    this.inside = new Float32Array(world.kind === 'periodic' ? world.dimensions * capacity : 0);
    this.insideWords = new Uint32Array(this.inside.buffer);
  }

  protected abstract readonly order: Order;

  protected abstract begin(): PortionedSearch;

  protected abstract candidates(): number;

  /** The error message of checkIdle. */
  protected abstract readonly busy: string;

  protected abstract readonly filling: string;

  /** Number of particles of the last build, quarantined ones included. */
  get count(): number {
    return this.built ?? 0;
  }

  /** Number of quarantined particles. */
  get nonFinite(): number {
    return this.count - this.order.activeCount;
  }

  protected get ownBytes(): number {
    return this.inside.byteLength + this.found.byteLength;
  }

  /** Returns the ids in a new array, ordered by cell or bucket, then by id. Quarantined particles come last. */
  ids(): Uint32Array {
    this.checkBuilt();
    return this.order.source.slice(0, this.built);
  }

  /** Returns the number of overlapping pairs. */
  countPairs(): number {
    const search = this.beginSearch();
    let length = 0;
    while (search.advance()) length += search.task.length;
    return length / 2;
  }

  /**
   * Returns the number of candidates: pairs of particles in the same or in adjacent cells. If radii vary, these are
   * cells of the larger particle's level or of a higher one, and pairs whose cells only share a bucket may count, too.
   * Compare the number with n(n − 1)/2, the number of all pairs.
   */
  countCandidates(): number {
    this.checkIdle();
    this.checkBuilt();
    return this.candidates();
  }

  /**
   * Returns every overlapping pair once, the lower id first, in no particular order. This is the fastest way to get a
   * list of pairs. The grid reuses the array in the next call. The array may be longer than the `2 · count` words in
   * use.
   */
  collectPairs(): PairList {
    const search = this.beginSearch();
    this.found = search.collectInto(this.found);
    return { count: search.task.length / 2, pairs: this.found };
  }

  /** Returns every overlapping pair once, sorted by the first id and then the second, in a new array. */
  findPairs(): PairList {
    const { count, pairs } = this.collectPairs();
    return { count, pairs: sortPairs(pairs, 2 * count, this.count) };
  }

  /** Calls `visit` for every overlapping pair once, the lower id first. Allocates no list of pairs. */
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

  /** Calls `visit` for every particle whose centre is no farther than `radius` from a point. */
  abstract near(
    point: readonly number[],
    radius: number,
    visit: (id: number, distanceSquared: number) => void,
  ): void;

  /** Returns the ids that `near` visits, ascending, in a new array. */
  findNear(point: readonly number[], radius: number): Uint32Array {
    const found: number[] = [];
    this.near(point, radius, (id) => found.push(id));
    return Uint32Array.from(found).sort();
  }

  /**
   * Calls `visit` for every particle whose centre is in a box, bounds included, by ascending id. A box with `min` above
   * `max` along an axis is empty. In a periodic world, any image of the particle counts.
   */
  inBox(min: readonly number[], max: readonly number[], visit: (id: number) => void): void {
    checkFunction('visit', visit);
    const ids = this.findInBox(min, max);
    this.visiting(() => {
      for (const id of ids) visit(id);
    });
  }

  /** Returns the ids that `inBox` visits, in a new array. */
  abstract findInBox(min: readonly number[], max: readonly number[]): Uint32Array;

  protected visitHits({ ids, distances }: RayHits, visit: (id: number, distance: number) => void): void {
    this.visiting(() => {
      ids.forEach((id, index) => {
        visit(id, distances[index] as number);
      });
    });
  }

  /**
   * Returns positions and their bits: in periodic worlds, wrapped copies of the first `particles` positions; otherwise
   * the input.
   */
  protected wrapPositions(positions: Float32Array, particles: number): readonly [Float32Array, Uint32Array] {
    const words = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
    if (this.world.kind !== 'periodic') return [positions, words];
    this.insideWords.set(words.subarray(0, this.world.dimensions * particles));
    wrapOnceIn(this.world, this.inside, 0, particles);
    return [this.inside, this.insideWords];
  }

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

  /** Throws before the first build. Every search calls this. */
  protected checkBuilt(): void {
    if (this.built !== undefined) return;
    throw new CellstormError(`This CPU grid has no particles yet: call ${this.filling} before you search.`);
  }

  private beginSearch(): PortionedSearch {
    this.checkIdle();
    this.checkBuilt();
    return this.begin();
  }
}
