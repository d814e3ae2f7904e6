/**
 * Purpose: which pairs are so close to touching that rounding of 32-bit floats may decide whether they
 * overlap. One definition for shaders/measure/measure.wgsl and its twin.
 *
 * src/reference/query/brute-force.ts derives that a wrong decision needs a distance² within (k + 3) u diameter² of
 * diameter², with u = 2⁻²⁴ and k dimensions. The distance² in 32-bit floats, by which it is judged here, is
 * itself off by (k + 2) u: 11 u together at most. So BORDERLINE_SHARE, 16 u, misses none; it may count a few
 * more. Only pairs of adjacent cells are meant: others are farther apart than the diameter, and being monotone,
 * no rounding of their differences makes them overlap. Where the world wraps around, a difference of coordinates
 * from both ends is rounded as what it is, about the period P: off by u P, which adds 2 √k P / diameter u to each of
 * the two, and more than that to the share.
 *
 * Where both particles lie on a lattice of diameter / 2¹² to diameter / 2¹¹ (a power of two), nothing rounds:
 * differences up to the diameter have 12 bits, their squares and sums 24 and are exact. Such pairs are no
 * borderline cases, even if they touch exactly. In a periodic world the period must lie on the lattice too, and where
 * the box does not begin at 0, all differences up to the period must fit 24 bits: see minimumImage in cells.ts.
 */
import type { RadiusRange, World } from './world';

const BORDERLINE_SHARE = 2 ** -20;

/** Of the distance at which two touch times the longest period, in a world that wraps around. */
const AROUND_SHARE = 8 * 2 ** -24;

export interface Borderline {
  /** Distances² from `low` on and up to `high` are borderline. */
  readonly low: number;
  readonly high: number;
  /** Coordinates times this are whole numbers on the exact lattice; 0 where the diameter is not on it. */
  readonly latticeScale: number;
}

type Ends = Pick<World, 'min' | 'period'>;

export function borderlineOf(diameter: number, ends: Ends): Borderline {
  const squared = diameter * diameter;
  const share = BORDERLINE_SHARE + (AROUND_SHARE * Math.max(0, ...ends.period)) / diameter;
  const latticeScale = 2 ** (11 - Math.floor(Math.log2(diameter)));
  return {
    low: Math.fround(squared * (1 - share)),
    high: Math.fround(squared * (1 + share)),
    latticeScale: scaleWithin(latticeScale, diameter, ends),
  };
}

/** The scale of a lattice, or 0 where the world or the diameter is not on it. */
function scaleWithin(latticeScale: number, diameter: number, { min, period }: Ends): number {
  const isOnLattice = period.every((length, axis) => {
    const steps = length * latticeScale;
    return Number.isInteger(steps) && (min[axis] === 0 || steps <= 2 ** 24);
  });
  return Number.isInteger(diameter * latticeScale) && isOnLattice ? latticeScale : 0;
}

/**
 * The exact lattice of particles that each have a radius of their own, at most half of `diameter`; radii are on it too.
 * The largest reach is 4,096 of it at most: its square is the greatest that 32-bit floats count to one by one, and what
 * is beyond is rounded, but not to less.
 */
export function mixedLatticeScale(diameter: number, ends: Ends): number {
  const exponent = Math.ceil(Math.log2(diameter));
  // Whether their own sizes are on it is asked of each particle: the largest there may be need not be.
  return scaleWithin(2 ** (12 - exponent), 2 ** exponent, ends);
}

/**
 * The same where each particle has a radius of its own: `reach`, the sum of two, is then what the diameter is. Where some may
 * be boxes, `share` and `around` are those of shapeBorderline, and reach is that of the balls around them.
 */
export interface MixedBorderline {
  /** Distances² are borderline from share · reach² + around · reach below reach² on, and up to as much above. */
  readonly share: number;
  readonly around: number;
  /** No borderline distance² is above this times reach². */
  readonly farthest: number;
  readonly latticeScale: number;
}

/** Of the sum of radii and half extents of two of which each may be a box: that is how far off 32-bit floats may be. */
const SHAPE_SHARE = 2 ** -19;

/**
 * Whether rounding may have decided whether two overlap of which each may be a box: by how much they do, or are apart, may
 * be no more than this of the sum of their radii (of boxes 0) and half extents. A difference of centres, a sum of half
 * extents and the difference of both are each off by 2⁻²⁴ of that at most, along each axis; sum and root of the squares of
 * three such by eight times that: 20 of them together. Where the world wraps around, more, as above.
 */
export function shapeBorderline(size: number, { period }: Ends): number {
  return SHAPE_SHARE * size + AROUND_SHARE * Math.max(0, ...period);
}

export function mixedBorderline({ smallest, largest }: RadiusRange, world: World): MixedBorderline {
  const around = AROUND_SHARE * Math.max(0, ...world.period);
  const share = world.boxes ? SHAPE_SHARE : BORDERLINE_SHARE;
  return {
    share,
    around,
    // Half extents add up to less than twice the radius of the ball around a box.
    farthest: 1 + (world.boxes ? 4 : 2) * share + (world.boxes ? 2 : 1) * (around / smallest),
    latticeScale: mixedLatticeScale(Math.fround(2 * largest), world),
  };
}
