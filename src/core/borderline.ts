/**
 * Purpose: which pairs are so close to touching that rounding of 32-bit floats may decide whether they
 * overlap. One definition for shaders/measure/measure.wgsl and its twin.
 *
 * src/reference/brute-force.ts derives that a wrong decision needs a distance² within (k + 3) u diameter² of
 * diameter², with u = 2⁻²⁴ and k dimensions. The distance² in 32-bit floats, by which it is judged here, is
 * itself off by (k + 2) u: 11 u together at most. So BORDERLINE_SHARE, 16 u, misses none; it may count a few
 * more.
 *
 * Where both particles lie on a lattice of diameter / 2¹² to diameter / 2¹¹ (a power of two), nothing rounds:
 * differences up to the diameter have 12 bits, their squares and sums 24 and are exact. Such pairs are no
 * borderline cases, even if they touch exactly.
 */
const BORDERLINE_SHARE = 2 ** -20;

export interface Borderline {
  /** Distances² from `low` on and up to `high` are borderline. */
  readonly low: number;
  readonly high: number;
  /** Coordinates times this are whole numbers on the exact lattice; 0 where the diameter is not on it. */
  readonly latticeScale: number;
}

export function borderlineOf(diameter: number): Borderline {
  const squared = diameter * diameter;
  const latticeScale = 2 ** (11 - Math.floor(Math.log2(diameter)));
  return {
    low: Math.fround(squared * (1 - BORDERLINE_SHARE)),
    high: Math.fround(squared * (1 + BORDERLINE_SHARE)),
    latticeScale: Number.isInteger(diameter * latticeScale) ? latticeScale : 0,
  };
}
