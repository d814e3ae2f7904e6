/**
 * Defines which pairs are borderline: so close to touching that 32-bit rounding may decide whether they overlap.
 * shaders/measure/measure.wgsl and its CPU reference use this definition.
 *
 * Let u = 2⁻²⁴ and k the number of dimensions. All errors are shares of diameter².
 *   - Rounding can only decide wrongly if distance² and diameter² differ by at most (k + 3) u
 *     (src/reference/query/brute-force.ts derives this bound).
 *   - The test itself computes distance² in 32-bit floats, with an error of up to (k + 2) u.
 * Together these are at most 11 u. So BORDERLINE_SHARE, 16 u, misses no such pair; it may count a few others.
 * Only pairs in the same or in adjacent cells can be borderline. All others are farther apart than the diameter, and
 * rounding is monotone: it cannot make them overlap.
 * In a periodic world with the period P, a difference across the boundary has another rounding error of up to u P. It
 * raises each of the two bounds by 2 √k u P / diameter: together by less than WRAP_SHARE · P / diameter.
 *
 * If both particles lie on a lattice whose step is a power of two from diameter / 2¹² to diameter / 2¹¹, nothing
 * rounds. Differences up to the diameter have 12 bits; their squares and sums have 24 bits and are exact. Such pairs
 * are never borderline, even if they touch exactly. In a periodic world the period must lie on the lattice, too. If the
 * periodic box does not begin at 0, all differences up to the period must fit 24 bits: see minimumImage in cells.ts.
 */
import type { RadiusRange, World } from './world';

const BORDERLINE_SHARE = 2 ** -20;

/** In a periodic world, this times period / diameter is added to BORDERLINE_SHARE. */
const WRAP_SHARE = 8 * 2 ** -24;

export interface Borderline {
  /** Distances² from `low` (included) to `high` (excluded) are borderline. */
  readonly low: number;
  readonly high: number;
  /**
   * A coordinate is on the exact lattice if its product with this number is whole. The number is 0 if the diameter or
   * the world is not on the lattice.
   */
  readonly latticeScale: number;
}

type Ends = Pick<World, 'min' | 'period'>;

export function borderlineOf(diameter: number, ends: Ends): Borderline {
  const squared = diameter * diameter;
  const share = BORDERLINE_SHARE + (WRAP_SHARE * Math.max(0, ...ends.period)) / diameter;
  const latticeScale = 2 ** (11 - Math.floor(Math.log2(diameter)));
  return {
    low: Math.fround(squared * (1 - share)),
    high: Math.fround(squared * (1 + share)),
    latticeScale: scaleWithin(latticeScale, diameter, ends),
  };
}

/** Returns the scale of the lattice, or 0 if the world or the diameter is not on it. */
function scaleWithin(latticeScale: number, diameter: number, { min, period }: Ends): number {
  const isOnLattice = period.every((length, axis) => {
    const steps = length * latticeScale;
    return Number.isInteger(steps) && (min[axis] === 0 || steps <= 2 ** 24);
  });
  return Number.isInteger(diameter * latticeScale) && isOnLattice ? latticeScale : 0;
}

/**
 * Returns the scale of the exact lattice for particles with a radius each, at most half of `diameter`. Radii must be on
 * the lattice, too. The largest sum of two radii is at most 4,096 lattice steps. Its square is at most 2²⁴. Up to 2²⁴,
 * 32-bit floats hold every whole number; larger values are rounded, but never below 2²⁴.
 */
export function variableLatticeScale(diameter: number, ends: Ends): number {
  const exponent = Math.ceil(Math.log2(diameter));
  // Pass a power of two instead of `diameter`, which need not be on the lattice: each particle's radius is tested
  // later.
  return scaleWithin(2 ** (12 - exponent), 2 ** exponent, ends);
}

/**
 * Defines the borderline pairs of particles with a radius each. `reach` is the sum of the two radii, for boxes those of
 * the surrounding balls. For pairs with a box, shapeBorderline decides.
 */
export interface VariableBorderline {
  /** Distances² that differ from reach² by at most share · reach² + around · reach are borderline. */
  readonly share: number;
  readonly around: number;
  /** A distance² above this times reach² is not borderline. */
  readonly farthest: number;
  readonly latticeScale: number;
}

/** Error bound for pairs with a box, relative to the sum of both radii and half extents. */
const SHAPE_SHARE = 2 ** -19;

/**
 * Returns the greatest overlap or gap at which rounding may decide whether two bodies overlap, if either is a box.
 * `size` is the sum of their radii (0 for boxes) and half extents. SHAPE_SHARE allows 32 errors of 2⁻²⁴ · `size` each.
 * Fewer than 20 are possible:
 * - Along each axis, three values are rounded: the difference of centres, the sum of half extents, and the difference
 *   of these two. Three axes make nine errors.
 * - The length of a vector adds less than eleven errors: 1.5 for squares and sums, 9 for the root (see
 *   src/reference/solve/bound.ts).
 * A periodic world adds its own error; see the top of this file.
 */
export function shapeBorderline(size: number, { period }: Ends): number {
  return SHAPE_SHARE * size + WRAP_SHARE * Math.max(0, ...period);
}

export function variableBorderline({ smallest, largest }: RadiusRange, world: World): VariableBorderline {
  const around = WRAP_SHARE * Math.max(0, ...world.period);
  const share = world.boxes ? SHAPE_SHARE : BORDERLINE_SHARE;
  return {
    share,
    around,
    // Half extents add up to less than twice the radius of the surrounding ball.
    farthest: 1 + (world.boxes ? 4 : 2) * share + (world.boxes ? 2 : 1) * (around / smallest),
    latticeScale: variableLatticeScale(Math.fround(2 * largest), world),
  };
}
