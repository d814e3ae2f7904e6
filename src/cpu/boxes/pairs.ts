/**
 * Finds the axis-aligned boxes that overlap, on the CPU: any boxes, from points to one that contains all others.
 *
 *     const { count, pairs } = findOverlaps(boxes, { dimensions: 2 });
 *
 *     const finder = createCpuBoxPairs({ dimensions: 3 });     // keeps its memory from frame to frame
 *     finder.build(boxes);
 *     finder.forEachPair((first, second) => …);
 *
 * Inputs: packed boxes: for each the `dimensions` numbers of the low corner, then those of the high corner. A low end
 * may equal the high one; the box is then a point, a line or a plane. Boxes with a low end above the high one, or with
 * a number that is not finite, overlap nothing and are counted.
 * Guarantee: boxes include their bounds, like those of `inBox`, so touching boxes overlap. Corners are compared as the
 * 32-bit floats that they are, so no pair is missed, added or doubled.
 */
import { checkDimensions, checkFunction, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { BoxOrder } from './order';
import { BoxSweep } from './sweep';

/** Advice in the errors for a list that is too long: of all pairs, and of the pairs of one row. */
const INSTEAD = 'use forEachPair or countPairs, which need memory for only one row of boxes at a time';
const ROW_INSTEAD = 'these pairs are all of one row, so use fewer boxes, or boxes that overlap fewer others';

export interface BoxPairsOptions {
  readonly dimensions: Dimensions;
  /**
   * The period along each axis, 0 along axes that do not wrap. Boxes overlap if any of their images do. They are
   * wrapped first, so that low corners lie between 0 and the period; images are one period below. Both are rounded to
   * 32-bit floats. A box that is as long as the period or longer covers the whole axis.
   */
  readonly period?: readonly number[] | undefined;
}

/** The pairs that overlap, and the number of boxes that are invalid. */
export interface Overlaps extends PairList {
  readonly invalid: number;
}

/** Returns every overlapping pair once, the lower id first, sorted by the first id and then the second. */
export function findOverlaps(boxes: Float32Array, options: BoxPairsOptions): Overlaps {
  const finder = createCpuBoxPairs(options);
  finder.build(boxes);
  return { ...finder.findPairs(), invalid: finder.invalid };
}

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
  if (!Array.isArray(period) || period.length !== dimensions || !period.every(isPeriod)) {
    throw new ArgumentError('period', period, `${dimensions} numbers that are 0 or from 2^-40 to 2^60`);
  }
  return period.map(Math.fround);
}

export class CpuBoxPairs {
  private readonly order: BoxOrder;
  private readonly sweep: BoxSweep;
  private built = 0;
  private visits = 0;

  /** Use createCpuBoxPairs, which checks its arguments. */
  constructor(
    readonly dimensions: Dimensions,
    readonly period: readonly number[],
  ) {
    this.order = new BoxOrder(dimensions, period);
    this.sweep = new BoxSweep(this.order);
  }

  /** Number of boxes of the last build, invalid ones included. */
  get count(): number {
    return this.built;
  }

  /** Number of boxes that overlap nothing, because a low end is above the high one or a number is not finite. */
  get invalid(): number {
    return this.order.invalid;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.sweep.words.byteLength;
  }

  /** Replaces the boxes by copies of the first `count`; default: all of them. */
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
    sweep.begin(ROW_INSTEAD);
    while (sweep.advance()) {
      words += sweep.length;
      sweep.length = 0;
    }
    return words / 2;
  }

  /**
   * Returns every overlapping pair once, the lower id first, in no particular order of pairs: the fastest way. The
   * array belongs to this object, is longer than the `2 · count` words in use, and is reused by the next call.
   */
  collectPairs(): PairList {
    this.checkIdle();
    const { sweep } = this;
    sweep.begin(INSTEAD);
    while (sweep.advance());
    return { count: sweep.length / 2, pairs: sweep.words };
  }

  /** Returns every overlapping pair once, sorted by the first id and then the second, in a new array. */
  findPairs(): PairList {
    const { count, pairs } = this.collectPairs();
    return { count, pairs: sortPairs(pairs, 2 * count, this.built, INSTEAD) };
  }

  /** Calls `visit` for every overlapping pair once, the lower id first; takes little memory for the pairs. */
  forEachPair(visit: (first: number, second: number) => void): void {
    checkFunction('visit', visit);
    this.checkIdle();
    const { sweep } = this;
    sweep.begin(ROW_INSTEAD);
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
      'This CpuBoxPairs is in the middle of forEachPair, so you may call it again only after that returns.',
    );
  }
}
