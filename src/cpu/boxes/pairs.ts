/**
 * Finds the axis-aligned boxes that overlap, on the CPU.
 * Guarantee: comparisons of corners do not round, so no pair is missed, added or doubled. Only wrapping rounds corners.
 */
import { checkDimensions, checkKnownKeys } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';
import { BoxFinder } from './finder';
import { BoxOrder } from './order';
import { BoxSweep } from './sweep';

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
  // Array.from turns holes, which `every` skips, into undefined.
  const periods: readonly unknown[] = Array.isArray(period) ? Array.from(period) : [];
  if (periods.length !== dimensions || !periods.every(isPeriod)) {
    throw new ArgumentError('period', period, `${dimensions} numbers that are 0 or from 2^-40 to 2^60`);
  }
  return Array.from(periods as readonly number[], Math.fround);
}

/** Finds the axis-aligned boxes that overlap. Boxes may be of any size, from points to one that contains all others. */
export class CpuBoxPairs extends BoxFinder<BoxOrder> {
  /** Use createCpuBoxPairs, which checks its arguments. @hideconstructor */
  constructor(
    dimensions: Dimensions,
    /** Period along each axis; 0 along axes that do not wrap. */
    readonly period: readonly number[],
  ) {
    const order = new BoxOrder(dimensions, period);
    super('CpuBoxPairs', dimensions, order, new BoxSweep(order));
  }
}
