/**
 * Continuous motion: the law for particles that move so far in a substep that they could pass through others. The law
 * says which particles are fast, where their paths end, and how hits change velocities. paths.ts implements it for the
 * CPU, shaders/solve/ccd for the GPU.
 *
 * The law applies after integration and before the sort. If sizes differ, each body has its own diameter; the diameter
 * of a box is its shortest edge.
 *   - Path: a particle is fast if it moves farther than a sixteenth of its diameter (FAST_SHARE) in the substep. Its
 *     path is the straight line from its old to its new position. Time on a path runs from 0 to 1, in whole
 *     ticks of 1 / CCD_TICKS.
 *   - Hit: a path ends at the first wall that it crosses, or at the first particle or obstacle that it hits. Two bodies
 *     hit when they approach and overlap by a sixteenth of the smaller diameter (OVERLAP_SHARE). If they overlap that
 *     deeply at the start, they hit only if they approach enough: over the substep, by more than their relative motion
 *     in one tick. Among hits in the same tick, the one with the greatest closing speed counts. Among equal speeds, the
 *     hit on the particle with the lowest id counts. The contact law handles the remaining overlap.
 *   - Motion of others: slow particles also move in straight lines. Obstacles stand still. A fast particle moves until
 *     its own path ends, and rests there for the rest of the substep.
 *   - Rounds: an end depends only on earlier ends of other paths. Each of CCD_ROUNDS rounds computes all ends again,
 *     from the other paths' ends of the previous round. All ends before the earliest time that the last round changed
 *     are final. The remaining paths are held at that time: they end in mid-air, keep their velocity, and go on in the
 *     next substep.
 *   - Bounce: two particles bounce if each is the partner of the other. Restitution (none below restSpeed), friction
 *     and mass shares are those of the contact law. The partner of a fast particle is the one that it hits. The partner
 *     of a slow particle is the fast one that hits it first. A fast particle whose partner has another partner rests
 *     until the next substep; only the contact law changes its velocity. Walls and obstacles bounce every particle that
 *     hits them.
 *   - Long paths: a path is held after MOST_PIECES pieces. Each piece is at most PIECE_CELLS cells long; if sizes
 *     differ, cells of the particle's own level. If a tick has more than PIECES_PER_TICK pieces, the particle stays at
 *     the start. The GPU also holds paths where floats are coarser than cells or its lists are full. The CPU also holds
 *     paths if there are too many pieces or pairs of pieces (see `settle` and LIMITS in paths.ts).
 *   - Gravity accelerates a particle only until its path ends.
 * Guarantee: no particle on a path comes to overlap another by more than OVERLAP_SHARE, and none passes through
 * another.
 */
import { CCD_TICKS, CLOSING_BITS, PIECE_CELLS } from '../base/constants';
import { bounceChange, frictionShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';

/** Share of a diameter. A particle that moves farther in a substep is fast; the contact law can handle slower ones. */
export const FAST_SHARE = 1 / 16;

/**
 * Share of a diameter: the overlap at which a path ends. Resting contacts of equal particles are less deep, so they end
 * no path.
 */
export const OVERLAP_SHARE = 1 / 16;

/**
 * Share of a diameter. A hit at a wall is rounded down to a tick, so a gap to the wall may be left. If the gap is at
 * most this share, the particle is moved onto the wall. A longer gap could lead through other particles.
 */
export const TO_WALL = 1 / 16;

/**
 * Greatest number of steps of Newton's method in the search for a hit. Few are needed: each step divides gap × slope by
 * at least 4.
 */
export const MOST_TANGENTS = 24;

/** The search ends after a tangent step shorter than this, because such a step rarely changes the tick. */
export const SHORTEST_TANGENT = 1 / (8 * CCD_TICKS);

/** Share of a period. In a periodic world, every piece of a path is shorter than this share. */
export const PIECE_SHARE = 1 / 4;

/**
 * Factors on the extents of bodies, for the boxes around pieces of paths in which other bodies are searched for.
 * AROUND_SLOW is for slow particles, which are listed at the end of their way. It allows for rounding and for the
 * length of this way, at most FAST_SHARE of a diameter.
 */
export const AROUND_SLOW = 1.25;
export const AROUND_FAST = 1;

/** The key if there is no hit: greater than any other key. */
export const NEVER = 2 ** 32;

const NO_CLOSING = 2 ** CLOSING_BITS - 1;

/** Returns the key of a path that ends without a hit. No hit in the same tick has a greater key. */
export function keyOfEnd(time: number): number {
  return Math.floor(time * CCD_TICKS) * 2 ** CLOSING_BITS + NO_CLOSING;
}

const bits = new DataView(new ArrayBuffer(4));

/** Returns the key of a hit: lower keys come first. `closing` is the closing speed in lengths per substep. */
export function keyOfHit(time: number, closing: number): number {
  bits.setFloat32(0, closing);
  return keyOfEnd(time) - (bits.getUint32(0) >>> (31 - CLOSING_BITS));
}

/** Returns the time of a key, which is a whole number of ticks, as a share of the substep. */
export function timeOfKey(key: number): number {
  return Math.floor(key / 2 ** CLOSING_BITS) / CCD_TICKS;
}

/** Rounds per substep. Paths that are not final after them are held. */
export const CCD_ROUNDS = 32;

/** Counts of the fast particles and paths of a step. */
export interface ContinuousCounts {
  /** Particles that are not fast in the first substep, but would be if the whole step were one substep. */
  readonly substepped: number;
  /** Particles that are fast in the first substep, so that their paths are followed. */
  readonly swept: number;
  /** Paths followed, over all substeps of the step. */
  readonly paths: number;
  /** Paths that ended at a hit. */
  readonly hits: number;
  /** Paths that were ended early, because their end was not settled or they were too long. */
  readonly held: number;
}

export const NO_CONTINUOUS_COUNTS: ContinuousCounts = { substepped: 0, swept: 0, paths: 0, hits: 0, held: 0 };

export function addContinuousCounts(
  sum: ContinuousCounts | undefined,
  substep: ContinuousCounts,
): ContinuousCounts {
  if (!sum) return substep;
  const { paths, hits, held } = substep;
  return { ...sum, paths: sum.paths + paths, hits: sum.hits + hits, held: sum.held + held };
}

/**
 * Returns an upper bound, in diameters, of how far any of the first `count` particles moves in `dt` seconds. Ignores
 * non-finite particles. `radius` is the common radius if sizes do not differ.
 */
export function farthestWay(
  dimensions: Dimensions,
  { positions, velocities, ...sizes }: Pick<CcdState, 'positions' | 'velocities'> & Sizes,
  count: number,
  {
    gravity,
    dt,
    radius,
  }: { readonly gravity: readonly number[]; readonly dt: number; readonly radius: number },
): number {
  const gained = Math.hypot(...gravity) * dt;
  let farthest = 0;
  for (let slot = 0; slot < count; slot++) {
    let squared = 0;
    let sum = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      squared += (velocities[dimensions * slot + axis] as number) ** 2;
      sum += positions[dimensions * slot + axis] as number;
    }
    const way = ((Math.sqrt(squared) + gained) * dt) / thicknessOf(dimensions, sizes, slot, radius);
    if (way > farthest && Number.isFinite(sum)) farthest = way;
  }
  return farthest;
}

/** Sorted particles after the motion of a substep. Those from slot `activeCount` on are quarantined or removed. */
export interface CcdState extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly activeCount: number;
}

/** Finds bodies that a path may hit. `particles` and `visitObstacles` may visit more bodies than described. */
export interface CcdSearch {
  /**
   * Visits the particles that reach into a box, with their positions after the motion and with extents enlarged by an
   * eighth. A slow particle moves no farther than that eighth, so it is found wherever it is during the substep.
   */
  particles(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  readonly obstacles: StaticBodies | undefined;
  /** Visits the slots of the obstacles that reach into a box. */
  visitObstacles(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
  /**
   * Visits every pair of overlapping boxes once, and no other pair. A box is its low corner followed by its high
   * corner. Ends early if `visit` returns false; then the result is false.
   */
  meetings(boxes: Float32Array, visit: (first: number, second: number) => boolean): boolean;
}

/**
 * Returns the greatest length of a piece, for a particle whose level has cells of `cellSize`. In a periodic world a
 * piece is so short that the nearest image of another particle stays the nearest. Obstacles may reach half a period;
 * of each, a piece can hit only the nearest image or the next image ahead.
 */
export function longestPiece({ period, diameter }: World, cellSize: number): number {
  return period.reduce(
    (longest, length) => (length > 0 ? Math.min(longest, PIECE_SHARE * length - diameter / 2) : longest),
    PIECE_CELLS * cellSize,
  );
}

/**
 * Returns the change of one particle's velocity by a hit. `part` is this particle's share of the change of the relative
 * velocity. `grip` is the greatest share of the sliding that friction may remove. If `relative` and `normal` are both
 * negated, the result is negated to the bit.
 */
export function strike(
  relative: readonly number[],
  normal: ArrayLike<number>,
  part: number,
  grip: number,
  { restitution, restSpeed, friction }: Substep,
): number[] {
  const approach = relative.reduce((sum, along, axis) => sum + along * (normal[axis] as number), 0);
  const kept = Math.abs(approach) > restSpeed ? restitution : 0;
  const change = Math.max(0, bounceChange(approach, part, kept));
  const sliding = relative.map((along, axis) => along - approach * (normal[axis] as number));
  const slidingSpeed = Math.hypot(...sliding);
  const braking = frictionShare(change, slidingSpeed, grip, friction);
  return sliding.map((along, axis) => change * (normal[axis] as number) - braking * along);
}
