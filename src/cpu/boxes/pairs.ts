/**
 * Finds the axis-aligned boxes that overlap, on the CPU. Boxes may be of any size, from points to one that contains all
 * others.
 *
 *     const { count, pairs } = findOverlaps(boxes, { dimensions: 2 });
 *
 *     const finder = createCpuBoxPairs({ dimensions: 3 });     // keeps its memory from frame to frame
 *     finder.build(boxes);
 *     finder.forEachPair((first, second) => …);
 *
 * Inputs: packed boxes, each the low corner, then the high corner, with `dimensions` numbers each. A low end may equal
 * the high end; the box is then a point, a line or a rectangle. A box is invalid if a low end is above the high end, or
 * if a number is not finite. Invalid boxes overlap nothing; `invalid` counts them.
 * Guarantee: boxes include their bounds, so touching boxes overlap. Corners are compared as 32-bit floats without
 * rounding, so no pair is missed, added or doubled.
 */
import { checkDimensions, checkFunction, checkInteger, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, CellstormError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { BoxOrder } from './order';
import { BoxSweep } from './sweep';

/**
 * Advice in the error if the pairs take too much memory. ROW_ADVICE is for forEachPair and countPairs, which store the
 * pairs of one row of boxes at a time.
 */
const ADVICE = 'use forEachPair or countPairs, which store only a part of the pairs at a time';
const ROW_ADVICE =
  'these pairs must be stored at the same time, so use fewer boxes, or boxes that overlap fewer others';

export interface BoxPairsOptions {
  readonly dimensions: Dimensions;
  /**
   * The period along each axis; 0 if the axis does not wrap. Boxes overlap if any of their images (copies moved by
   * whole periods) overlap. Boxes are wrapped first: their low corners then lie between 0 and the period. If a wrapped
   * box reaches the period, its images one period lower are compared, too. The corners of wrapped boxes and of images
   * are rounded to 32-bit floats. A box at least as long as the period covers the whole axis.
   */
  readonly period?: readonly number[] | undefined;
}

/** The overlapping pairs, and the number of invalid boxes. */
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
  // A copy without holes, which `every` would skip.
  const periods: readonly unknown[] = Array.isArray(period) ? Array.from(period) : [];
  if (periods.length !== dimensions || !periods.every(isPeriod)) {
    throw new ArgumentError('period', period, `${dimensions} numbers that are 0 or from 2^-40 to 2^60`);
  }
  return Array.from(periods as readonly number[], Math.fround);
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

  /** Number of boxes that overlap nothing, because a low end is above the high end or a number is not finite. */
  get invalid(): number {
    return this.order.invalid;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.sweep.words.byteLength;
  }

  /** Replaces the boxes by copies of the first `count` boxes. Default: all boxes of the array. */
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
   * Returns every overlapping pair once, the lower id first; the order of pairs is not defined. This is the fastest
   * way to list them. The array belongs to this object, may be longer than the `2 · count` words in use, and is reused
   * by the next call.
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
   * Calls `visit` for every overlapping pair once, the lower id first. It stores the pairs of only one row of boxes at
   * a time.
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
