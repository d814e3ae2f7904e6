/**
 * Finds the axis-aligned boxes that overlap, on the CPU.
 * Guarantee: corners are compared as 32-bit floats without rounding, so no pair is missed, added or doubled.
 */
import { checkDimensions, checkFunction, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { BoxOrder } from './order';
import { BoxSweep } from './sweep';

/**
 * Advice in errors about memory. ROW_ADVICE is for forEachPair and countPairs, which store only the pairs of one row at
 * a time.
 */
const ADVICE = 'use forEachPair or countPairs, which store only a part of the pairs at a time';
const ROW_ADVICE =
  'these pairs must be stored at the same time, so use fewer boxes, or boxes that overlap fewer others';

/** Options of `createCpuBoxPairs` and `findOverlaps`. */
export interface BoxPairsOptions {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /**
   * Period along each axis, 2⁻⁴⁰ to 2⁶⁰; 0 if the axis does not wrap. Default: 0. Boxes overlap if any of their images
   * overlap. Low corners are wrapped into the period; corners of wrapped boxes and images are rounded to 32-bit floats.
   * A box at least as long as the period covers the whole axis.
   */
  readonly period?: readonly number[] | undefined;
}

/** The overlapping pairs, and the number of invalid boxes. */
export interface Overlaps extends PairList {
  /** Number of invalid boxes: a low end is above the high end, or a number is not finite. They overlap nothing. */
  readonly invalid: number;
}

/**
 * Finds the boxes that overlap. Each box is its low corner, then its high corner. Touching boxes overlap. Returns every
 * pair once, the lower id first, sorted by the first id and then the second.
 *
 * @example
 * ```ts
 * const boxes = Float32Array.of(0, 0, 2, 2, 1, 1, 3, 3, 5, 5, 6, 6);
 * const { count, pairs } = findOverlaps(boxes, { dimensions: 2 });
 * console.log(count, pairs); // 1, [0, 1]
 * ```
 */
export function findOverlaps(boxes: Float32Array, options: BoxPairsOptions): Overlaps {
  const finder = createCpuBoxPairs(options);
  finder.build(boxes);
  return { ...finder.findPairs(), invalid: finder.invalid };
}

/**
 * Creates a finder of overlapping boxes, which keeps its memory from one build to the next.
 *
 * @example
 * ```ts
 * const finder = createCpuBoxPairs({ dimensions: 2 });
 * finder.build(Float32Array.of(0, 0, 2, 2, 1, 1, 3, 3, 5, 5, 6, 6));
 * finder.forEachPair((first, second) => console.log(first, second));
 * ```
 */
export function createCpuBoxPairs(options: BoxPairsOptions): CpuBoxPairs {
  checkKnownKeys('options', options, ['dimensions', 'period']);
  const { dimensions } = options;
  checkDimensions(dimensions);
  return new CpuBoxPairs(dimensions, periodsOf(options));
}

function periodsOf({ dimensions, period }: BoxPairsOptions): readonly number[] {
  if (period === undefined) return new Array<number>(dimensions).fill(0);
  const isPeriod = (value: unknown) =>
    value === 0 || (typeof value === 'number' && value >= SMALLEST_DIAMETER && value <= LARGEST_DIAMETER);
  // A copy without holes, which `every` would skip.
  const periods: readonly unknown[] = Array.isArray(period) ? Array.from(period) : [];
  if (periods.length !== dimensions || !periods.every(isPeriod)) {
    throw new ArgumentError('period', period, `${dimensions} numbers that are 0 or from 2^-40 to 2^60`);
  }
  return Array.from(periods as readonly number[], Math.fround);
}

/** Finds the axis-aligned boxes that overlap. Boxes may be of any size, from points to one that contains all others. */
export class CpuBoxPairs {
  private readonly order: BoxOrder;
  private readonly sweep: BoxSweep;
  private built = 0;
  private visits = 0;

  /** Use createCpuBoxPairs, which checks its arguments. @hideconstructor */
  constructor(
    /** 2 or 3. */
    readonly dimensions: Dimensions,
    /** Period along each axis; 0 along axes that do not wrap. */
    readonly period: readonly number[],
  ) {
    this.order = new BoxOrder(dimensions, period);
    this.sweep = new BoxSweep(this.order);
  }

  /** Number of boxes of the last build, invalid ones included. */
  get count(): number {
    return this.built;
  }

  /** Number of boxes that overlap nothing, because a low end is above the high end or a number is not finite. */
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
    sweep.begin(ROW_ADVICE);
    while (sweep.advance()) {
      words += sweep.length;
      sweep.length = 0;
    }
    return words / 2;
  }

  /**
   * Returns every overlapping pair once, the lower id first, in no particular order. This is the fastest way to list
   * pairs. The array belongs to this object, is reused by the next call, and may be longer than the `2 · count` words
   * in use.
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

  /**
   * Calls `visit` for every overlapping pair once, the lower id first. Stores the pairs of one row of boxes at a time.
   */
  forEachPair(visit: (first: number, second: number) => void): void {
    checkFunction('visit', visit);
    this.checkIdle();
    const { sweep } = this;
    sweep.begin(ROW_ADVICE);
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
      'This CpuBoxPairs is in the middle of forEachPair, so you may call its methods again only after forEachPair returns.',
    );
  }
}
