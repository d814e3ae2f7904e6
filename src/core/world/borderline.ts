/**
 * Defines borderline pairs: pairs so close to touching that 32-bit rounding may decide whether they overlap.
 * shaders/measure/measure.wgsl uses this definition, too.
 *
 * Let u = 2⁻²⁴ and k the number of dimensions. All errors are shares of diameter².
 *   - Rounding can only decide wrongly if distance² and diameter² differ by at most (k + 3) u
 *     (src/reference/query/brute-force.ts).
 *   - The test for borderline pairs computes distance² with an error of up to (k + 2) u.
 * Together these are at most 11 u; BORDERLINE_SHARE is 16 u. Only pairs in the same or in adjacent cells are tested.
 * Others are farther apart than the diameter. Rounding is monotone, so it cannot make such pairs overlap.
 * In a periodic world with the period P, a difference across the boundary has an additional error of up to u P. Each of
 * the two errors then grows by 2 √k u P / diameter: together by less than WRAP_SHARE · P / diameter.
 *
 * Nothing rounds if both particles lie on a lattice whose step is a power of two from diameter / 2¹² to diameter / 2¹¹.
 * Differences up to the diameter have 12 bits; their squares and sums have 24 bits. Such pairs are never borderline.
 * The diameter and the periods must lie on the lattice, too. If the periodic box does not begin at 0, differences up to
 * the period must fit 24 bits: see minimumImage in cells.ts.
 */
import type { RadiusRange, World } from './world';

const BORDERLINE_SHARE = 2 ** -20;

/** BORDERLINE_SHARE grows by this times period / diameter. */
const WRAP_SHARE = 8 * 2 ** -24;

export interface Borderline {
  /** Distances² from `low` (included) to `high` (excluded) are borderline. */
  readonly low: number;
  readonly high: number;
  /** A coordinate is on the exact lattice if its product with this number is whole. 0 if there is no lattice. */
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

/** Returns `latticeScale`, or 0 if the world or the diameter is not on the lattice. */
function scaleWithin(latticeScale: number, diameter: number, { min, period }: Ends): number {
  const isOnLattice = period.every((length, axis) => {
    const steps = length * latticeScale;
    return Number.isInteger(steps) && (min[axis] === 0 || steps <= 2 ** 24);
  });
  return Number.isInteger(diameter * latticeScale) && isOnLattice ? latticeScale : 0;
}

/**
 * Returns the scale for radii of at most half of `diameter`. The sum of two radii is at most 4,096 lattice steps, and
 * its square at most 2²⁴. 32-bit floats hold every whole number up to 2²⁴.
 */
export function variableLatticeScale(diameter: number, ends: Ends): number {
  const exponent = Math.ceil(Math.log2(diameter));
  // Pass a diameter that is on the lattice, because each particle's radius is tested later.
  return scaleWithin(2 ** (12 - exponent), 2 ** exponent, ends);
}

/**
 * Says which pairs of particles with their own radii are borderline. `reach` is the sum of the two radii. If particles
 * may be boxes, `share` and `around` apply to overlaps and gaps instead, as in shapeBorderline.
 */
export interface VariableBorderline {
  /** Distances² that differ from reach² by at most share · reach² + around · reach are borderline. */
  readonly share: number;
  readonly around: number;
  /** If distance² exceeds this times reach², the pair is not borderline. */
  readonly farthest: number;
  readonly latticeScale: number;
}

const SHAPE_SHARE = 2 ** -19;

/**
 * Returns the greatest overlap or gap at which rounding may decide, if particles may be boxes. `size` is the sum of
 * both radii (0 for boxes) and of all half extents. SHAPE_SHARE allows 32 errors of 2⁻²⁴ · `size` each; fewer than 20
 * are possible:
 * - three along each of three axes: the difference of centres, the sum of half extents, and their difference
 * - less than eleven in a length: 1.5 for squares and sums, 9 for the root (src/reference/solve/bound.ts)
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
