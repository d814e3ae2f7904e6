/**
 * The oracle of overlaps: tests every pair in doubles, with an error below pairBand / 2²⁷. Particles with a coordinate
 * that is not finite overlap nothing. Default ids are 0, 1, 2 … Periods are 0 along axes that do not wrap.
 */

import { isFiniteParticle } from '../measure/finite';
import { minimumImageInDoubles } from '../solve/contact';
import { type OraclePairs, PairCollector } from './pair-list';

export const UNIT_ROUNDOFF = 2 ** -24;

/** Flushing subnormals loses at most this much in one operation. */
const SMALLEST_NORMAL = 2 ** -126;

/**
 * Returns the greatest difference of distance² from diameter² at which 32-bit floats may decide a pair wrongly.
 *
 * Let u = 2⁻²⁴, k the number of dimensions, d the distance and D the diameter. Each difference is off by a factor of up
 * to 1 + u, its square by (1 + u)³. Adding up k squares takes k − 1 roundings of positive terms, so the sum is off by
 * at most (1 + u)^(k + 2). D² is rounded once. So a decision can only be wrong if |d² − D²| ≤ ((1 + u)^(k + 2) − 1) d²
 * + u D². As d² is close to D², the right side is about (k + 3) u D². A factor of 1 + 2⁻²⁰ covers the terms in u².
 *
 * Flushed subnormals add at most SMALLEST_NORMAL for each of the k squares, their k − 1 sums and D², and 2 d ·
 * SMALLEST_NORMAL for each flushed difference.
 *
 * In a periodic world, a difference across the ends is about the period P. It is rounded by up to u P before P is
 * subtracted, which changes d² by up to k u² P² + 2 √k D u P.
 */
export function pairBand(dimensions: number, diameter: number, period: readonly number[] = []): number {
  const around = UNIT_ROUNDOFF * Math.max(0, ...period);
  const wrapping = dimensions * around * around + 2 * Math.sqrt(dimensions) * diameter * around;
  const relative = (dimensions + 3) * UNIT_ROUNDOFF * (1 + 2 ** -20);
  const flushed = (2 * dimensions + 2 * dimensions * diameter) * SMALLEST_NORMAL;
  return relative * diameter * diameter + wrapping * (1 + 2 ** -20) + flushed;
}

export function bruteForcePairs(
  dimensions: number,
  positions: Float32Array,
  diameter: number,
  ids?: Uint32Array,
  period?: readonly number[],
): OraclePairs {
  const count = positions.length / dimensions;
  const judge = new PairJudge(dimensions, positions, diameter, ids, period);
  for (let a = 0; a < count; a++) {
    if (!isFiniteParticle(dimensions, positions, a)) continue;
    for (let b = a + 1; b < count; b++) {
      if (isFiniteParticle(dimensions, positions, b)) judge.consider(a, b);
    }
  }
  return judge.verdict();
}

export class PairJudge {
  private readonly overlapping = new PairCollector();
  private readonly ambiguous = new PairCollector();
  private readonly limit: number;
  private readonly band: number;

  constructor(
    private readonly dimensions: number,
    private readonly positions: Float32Array,
    private readonly diameter: number,
    private readonly ids?: Uint32Array,
    private readonly period: readonly number[] = new Array<number>(dimensions).fill(0),
  ) {
    this.limit = diameter * diameter;
    this.band = pairBand(dimensions, diameter, this.period);
  }

  consider(a: number, b: number): void {
    const { dimensions, positions } = this;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart = minimumImageInDoubles(
        (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number),
        this.period[axis] as number,
      );
      squared += apart * apart;
    }
    if (squared > this.limit + this.band) return;
    const idA = this.ids ? (this.ids[a] as number) : a;
    const idB = this.ids ? (this.ids[b] as number) : b;
    if (squared < this.limit) this.overlapping.add(idA, idB);
    if (Math.abs(squared - this.limit) <= this.band && !this.isExact(a, b)) this.ambiguous.add(idA, idB);
  }

  verdict(): OraclePairs {
    return { overlapping: this.overlapping.toPairList(), ambiguous: this.ambiguous.toPairList() };
  }

  /** True if 32-bit floats hold all intermediate results, in whatever order the squares are added. */
  private isExact(a: number, b: number): boolean {
    const { dimensions, positions } = this;
    const squares: number[] = [];
    for (let axis = 0; axis < dimensions; axis++) {
      const here = positions[a * dimensions + axis] as number;
      const there = positions[b * dimensions + axis] as number;
      const direct = here - there;
      // Doubles round a difference, too, if the magnitudes are far apart.
      if (here - direct !== there || direct + there !== here) return false;
      const apart = minimumImageInDoubles(direct, this.period[axis] as number);
      if (!isSingle(direct) || !isSingle(apart)) return false;
      squares.push(apart * apart);
    }
    const sums = squares.flatMap((square, index) => [
      square,
      square + (squares[(index + 1) % dimensions] as number),
    ]);
    sums.push(squares.reduce((sum, square) => sum + square, 0));
    return isSingle(this.diameter * this.diameter) && sums.every(isSingle);
  }
}

/** True for 32-bit floats that no device flushes to 0. */
function isSingle(value: number): boolean {
  return Math.fround(value) === value && (value === 0 || Math.abs(value) >= SMALLEST_NORMAL);
}
