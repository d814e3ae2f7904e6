/** The calls that the finders of overlapping boxes share. `Order` sorts the boxes, and `Sweep` finds the pairs. */
import { checkFunction, checkInteger } from '../../core/base/checks';
import { ArgumentError, CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import type { Dimensions } from '../../core/world/world';
import { sortPairs } from '../equal/search';

/** Advice in errors about memory. forEachPair and countPairs store only the pairs of one part (a row or a chunk). */
const ADVICE = 'use forEachPair or countPairs, which store only a part of the pairs at a time';
const PART_ADVICE =
  'these pairs must be stored at the same time, so use fewer boxes, or boxes that overlap fewer others';

export interface Order {
  readonly invalid: number;
  readonly memoryBytes: number;
  build(boxes: Float32Array, count: number): void;
}

export interface Sweep {
  /** Ids of the pairs found: the first `length` words. The caller may set `length` to 0. */
  readonly words: Uint32Array;
  length: number;
  /** If there is no memory for the pairs, the error's message ends with `advice`. */
  begin(advice: string): void;
  /** Adds the pairs of the next part that contains boxes. Returns false after the last part. */
  advance(): boolean;
}

export abstract class BoxFinder<Ordered extends Order> {
  private built = 0;
  private visits = 0;

  protected constructor(
    private readonly name: string,
    /** 2 or 3. */
    readonly dimensions: Dimensions,
    protected readonly order: Ordered,
    private readonly sweep: Sweep,
  ) {}

  /** Number of boxes of the last build, invalid ones included. */
  get count(): number {
    return this.built;
  }

  /** Number of invalid boxes: a low end is above the high end, or a number is not finite. They overlap nothing. */
  get invalid(): number {
    return this.order.invalid;
  }

  /** Bytes of all arrays. */
  get memoryBytes(): number {
    return this.order.memoryBytes + this.sweep.words.byteLength;
  }

  /**
   * Replaces the boxes by copies of the first `count`. Default: all boxes of the array. Each box is its low corner,
   * then its high corner.
   */
  build(boxes: Float32Array, count?: number): void {
    const { dimensions } = this;
    this.checkIdle();
    if (!(boxes instanceof Float32Array) || boxes.length % (2 * dimensions) !== 0) {
      throw new ArgumentError('boxes', boxes, `a Float32Array with ${2 * dimensions} numbers per box`);
    }
    const given = boxes.length / (2 * dimensions);
    if (count !== undefined) checkInteger('count', count, 0, given);
    this.built = count ?? given;
    this.order.build(boxes, this.built);
  }

  /** Returns the number of overlapping pairs. */
  countPairs(): number {
    this.checkIdle();
    const { sweep } = this;
    let words = 0;
    sweep.begin(PART_ADVICE);
    while (sweep.advance()) {
      words += sweep.length;
      sweep.length = 0;
    }
    return words / 2;
  }

  /**
   * Returns every overlapping pair once, the lower id first, in no particular order. This is the fastest way to list
   * pairs. The next call reuses the array, which may be longer than the `2 · count` words in use.
   */
  collectPairs(): PairList {
    this.checkIdle();
    const { sweep } = this;
    sweep.begin(ADVICE);
    while (sweep.advance());
    return { count: sweep.length / 2, pairs: sweep.words };
  }

  /** Returns every overlapping pair once, sorted by the first id and then the second, in a new array. */
  findPairs(): PairList {
    const { count, pairs } = this.collectPairs();
    return { count, pairs: sortPairs(pairs, 2 * count, this.built, ADVICE) };
  }

  /** Calls `visit` for every overlapping pair once, the lower id first. Stores only a part of the pairs at a time. */
  forEachPair(visit: (first: number, second: number) => void): void {
    checkFunction('visit', visit);
    this.checkIdle();
    const { sweep } = this;
    sweep.begin(PART_ADVICE);
    this.visits++;
    try {
      while (sweep.advance()) {
        const { words, length } = sweep;
        for (let word = 0; word < length; word += 2) visit(words[word] as number, words[word + 1] as number);
        sweep.length = 0;
      }
    } finally {
      this.visits--;
    }
  }

  private checkIdle(): void {
    if (this.visits === 0) return;
    throw new CellstormError(
      `This ${this.name} is running forEachPair. Call its methods again after forEachPair returns.`,
    );
  }
}
