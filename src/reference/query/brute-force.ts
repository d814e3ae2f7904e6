/**
 * The oracle of overlaps: it tests every pair, in doubles, without cells.
 * Inputs: packed positions (particles that are not finite overlap nothing), the diameter as a 32-bit float, ids
 * (default: 0, 1, 2 …), the length of the world along axes that wrap (0 along others, the default). Outputs: the
 * overlapping pairs, and the ambiguous ones.
 *
 * Differences of 32-bit floats and their squares are not always exact in doubles, but the error, 2⁻⁵² relative, is 2²⁷
 * times finer than the band below.
 */

import { isFiniteParticle } from '../measure/finite';
import { nearestImage } from '../solve/contact';
import { type OraclePairs, PairCollector } from './pair-list';

/** Half an ulp, relative: the largest error of one correctly rounded 32-bit operation. */
export const UNIT_ROUNDOFF = 2 ** -24;

/** Smallest normal 32-bit float: the most that a device that flushes subnormals loses in one operation. */
const SMALLEST_NORMAL = 2 ** -126;

/**
 * Returns the greatest difference of a pair's exact distance² from diameter² at which 32-bit floats may decide wrongly.
 *
 * With u = 2⁻²⁴ and k dimensions: each coordinate difference is off by (1 + u), its square by (1 + u)² and one rounding
 * more, and adding up k squares rounds k − 1 times, in any order. All terms are positive, so the sum is off by at most
 * (1 + u)^(k + 2). Fusing a product into a sum leaves one rounding out, which only lowers this. diameter² itself is
 * rounded once. A wrong decision hence needs |d² − D²| ≤ ((1 + u)^(k + 2) − 1) d² + u D², with d² that close to D²: (k
 * + 3) u D². A factor of 1 + 2⁻²⁰ covers the terms in u². Flushed subnormals add at most SMALLEST_NORMAL for each of
 * the k squares, their k − 1 sums and D², and twice the distance times it for each flushed difference.
 *
 * In a periodic world, a difference of coordinates from both ends is about the period P and rounded as such, ± u P,
 * before the period is subtracted: ± k u² P² + 2 √k D u P on d².
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

/** Decides pairs of finite particles one by one. All oracles use it. */
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
    // The square of a 32-bit float is exact in doubles.
    this.limit = diameter * diameter;
    this.band = pairBand(dimensions, diameter, this.period);
  }

  consider(a: number, b: number): void {
    const { dimensions, positions } = this;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart = nearestImage(
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

  /**
   * True if 32-bit floats hold every intermediate result, in whatever order the squares are added. Then nothing is
   * rounded, fused or not, and there is only one answer.
   */
  private isExact(a: number, b: number): boolean {
    const { dimensions, positions } = this;
    const squares: number[] = [];
    for (let axis = 0; axis < dimensions; axis++) {
      const here = positions[a * dimensions + axis] as number;
      const there = positions[b * dimensions + axis] as number;
      const direct = here - there;
      // Doubles round too if magnitudes are far apart.
      if (here - direct !== there || direct + there !== here) return false;
      const apart = nearestImage(direct, this.period[axis] as number);
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

/** True if a value is a 32-bit float that no device flushes to 0. */
function isSingle(value: number): boolean {
  return Math.fround(value) === value && (value === 0 || Math.abs(value) >= SMALLEST_NORMAL);
}
