/**
 * Continuous motion: the law for particles that are so fast that they could pass through others. paths.ts implements
 * this law for the CPU, shaders/solve/ccd for the GPU.
 *
 * The law applies after integration and before the sort. If sizes differ, each body has its own diameter: for a box,
 * its shortest edge.
 *   - Path: a particle is fast if it moves farther than FAST_SHARE of its diameter in the substep. Its path is the
 *     straight line from its old to its new position, with times from 0 to 1 in ticks of 1 / CCD_TICKS.
 *   - Hit: a path ends at the first wall that it crosses, or at the first body that it hits. Two bodies hit when they
 *     approach and overlap by OVERLAP_SHARE of the smaller diameter. If they overlap that deeply at the start, they hit
 *     only if −m·n > |m| / CCD_TICKS, where m is their relative motion and n the normal. Among several hits in one
 *     tick, the one with the greatest closing speed counts; among equal speeds, the one with the lowest id.
 *   - Motion of others: slow particles move in straight lines, too. A fast one moves until its own path ends, and then
 *     rests.
 *   - Rounds: an end depends only on earlier ends of other paths. Each of CCD_ROUNDS rounds computes all ends again,
 *     from those of the previous round. If the last round still changes some ends, t is the earliest of their old and
 *     new times. All ends before t are final. The other paths are held at t: their particles stop in mid-air, keep
 *     their velocity, and go on in the next substep.
 *   - Bounce: two particles bounce if each is the partner of the other. Restitution (none below restSpeed), friction
 *     and mass shares are those of the contact law. The partner of a fast particle is the one that it hits; the partner
 *     of a slow one is the fast one that hits it first. A fast particle whose partner has another partner rests until
 *     the next substep; only the contact law changes its velocity. Walls and obstacles bounce every particle that hits
 *     them.
 *   - Long paths: a path is held after MOST_PIECES pieces of at most PIECE_CELLS cells of the particle's level. If a
 *     tick has more than PIECES_PER_TICK pieces, the particle stays at the start. The GPU also holds a path if floats
 *     are coarser than cells there, or if the GPU's lists are full. The CPU also holds a path if the work exceeds
 *     LIMITS in paths.ts.
 *   - Gravity accelerates a particle only until its path ends.
 * Guarantee: no particle on a path comes to overlap another by more than OVERLAP_SHARE of the smaller diameter, and
 * none passes through another.
 */
import { CCD_TICKS, CLOSING_BITS, PIECE_CELLS } from '../base/constants';
import { bounceChange, frictionShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';

/** Share of a diameter: the overlap at which a path ends. Resting contacts of equal particles are usually less deep. */
export const OVERLAP_SHARE = 1 / 16;

/**
 * The time of a hit at a wall is rounded down to a tick, which leaves a gap. If the gap is at most this share of the
 * diameter, the particle is moved across it. A longer move could lead through other particles.
 */
export const TO_WALL = 1 / 16;

/** Greatest number of steps of Newton's method. Each step divides gap × slope by at least 4, so few are needed. */
export const MOST_TANGENTS = 24;

/** Newton's method stops at a step shorter than this share of the substep: such a step rarely changes the tick. */
export const SHORTEST_TANGENT = 1 / (8 * CCD_TICKS);

/** Every piece of a path is shorter than this share of a period. */
export const PIECE_SHARE = 1 / 4;

/**
 * Margins of the boxes in which other bodies are searched for, in extents of the bodies. AROUND_SLOW is above 1,
 * because slow particles are listed at the end of their motion, which is at most FAST_SHARE of a diameter long.
 */
export const AROUND_SLOW = 1.25;
export const AROUND_FAST = 1;

export const NEVER = 2 ** 32;

const NO_CLOSING = 2 ** CLOSING_BITS - 1;

/** Returns the greatest key of the tick of `time`: the key of a path that ends without a hit. */
export function keyOfEnd(time: number): number {
  return Math.floor(time * CCD_TICKS) * 2 ** CLOSING_BITS + NO_CLOSING;
}

const bits = new DataView(new ArrayBuffer(4));

/** Returns the key of a hit. `closing` is the closing speed in lengths per substep. */
export function keyOfHit(time: number, closing: number): number {
  bits.setFloat32(0, closing);
  return keyOfEnd(time) - (bits.getUint32(0) >>> (31 - CLOSING_BITS));
}

/** Returns the time as a share of the substep, in whole ticks. */
export function timeOfKey(key: number): number {
  return Math.floor(key / 2 ** CLOSING_BITS) / CCD_TICKS;
}

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
  /** Paths that were ended early, for example because their end was not settled or they were too long. */
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
 * Returns an upper bound of how far any of the first `count` particles moves in `dt` seconds without contacts, in its
 * diameters. `radius` is the radius of all particles if they have no sizes of their own.
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

export interface CcdState extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly activeCount: number;
}

/** How followPaths finds nearby bodies. `particles` and `visitObstacles` may visit more bodies than necessary. */
export interface CcdSearch {
  /**
   * Visits the particles whose extents after the motion, enlarged by an eighth, reach into a box. A slow particle
   * moves at most that far, so the search finds it wherever it is during the substep.
   */
  particles(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  readonly obstacles: StaticBodies | undefined;
  visitObstacles(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
  /**
   * Visits every pair of overlapping boxes once, and no other. A box is its low corner, then its high one. Returns
   * false as soon as `visit` does.
   */
  meetings(boxes: Float32Array, visit: (first: number, second: number) => boolean): boolean;
}

/**
 * Returns the greatest length of a piece. In a periodic world, pieces must be so short that the nearest image of
 * another particle stays the nearest.
 */
export function longestPiece({ period, diameter }: World, cellSize: number): number {
  return period.reduce(
    (longest, length) => (length > 0 ? Math.min(longest, PIECE_SHARE * length - diameter / 2) : longest),
    PIECE_CELLS * cellSize,
  );
}

/**
 * Returns the change of one particle's velocity by a hit: the share `part` of the change of the relative velocity.
 * `grip` is the greatest share of the sliding that friction may remove. Negating `relative` and `normal` negates the
 * result, to the bit.
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
  const slidingSquared = sliding.reduce((sum, along) => sum + along * along, 0);
  const braking = frictionShare(change, slidingSquared, grip, friction);
  return sliding.map((along, axis) => change * (normal[axis] as number) - braking * along);
}
