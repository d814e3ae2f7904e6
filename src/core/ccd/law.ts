/**
 * No tunnelling. What the engines agree on about particles that move too far in a substep to be met where they
 * arrive: who they are, where their paths end, and what that does to velocities. On the CPU paths.ts follows it, on the
 * GPU shaders/solve/ccd.
 *
 * The law, after integrating and before the sort. A diameter is a particle's or an obstacle's own where sizes differ,
 * of a box its shortest edge:
 *   - a particle is fast if it moves farther than a sixteenth of a diameter (FAST_SHARE) in the substep. Its path is the
 *     straight way from where it was to where it arrives; time runs from 0 to 1 on it, in whole ticks;
 *   - its path ends early at the first wall that it crosses, and at the first other particle or obstacle that it comes to
 *     overlap by a sixteenth of the lesser of both diameters (OVERLAP_SHARE) while it approaches, where they overlap by as
 *     much already by a tick of the way at least; of several at the same
 *     time, the one at which it closes in fastest, of equal ones the one with the lowest id. What is left over is for the
 *     contact law. Slow particles are on a straight way too, obstacles stand still, fast particles fly until their own path
 *     ends and rest there for the rest of the substep;
 *   - so ends depend on each other, but an earlier one never on a later one. In each of CCD_ROUNDS rounds all paths are
 *     followed anew, with the others' ends as the round before has them: after n rounds whatever hangs on fewer than n
 *     others is settled. All is settled before the earliest time at which the last round still changed anything. There
 *     the others are held: their paths end in mid-air, with their velocity, and go on in the next substep;
 *   - two that name each other bounce as a pair, with the contact law's restitution (none below restSpeed), friction and
 *     shares. A slow one names the first of those that name it. Whoever is not named rests where it is until the next
 *     substep, with its velocity, or what the contact law makes of it. Walls and obstacles are always free.
 *   - a path longer than MOST_PIECES is held at the end of the last, so at MOST_PIECES * PIECE_CELLS cells a substep, of
 *     different sizes such as its particle is filed in; one so long that this is not a tick stays where it begins. On the
 *     GPU it is held too where floats are coarser than its cells.
 *   - nothing accelerates whose path has ended: of what gravity gives in the substep it keeps what it flew for.
 * So on a path no particle comes to overlap another by more than that, and none passes through another.
 */
import { CCD_PARTS, CCD_TICKS, CLOSING_BITS, PIECE_CELLS } from '../base/constants';
import { frictionShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';

/**
 * Of a diameter: who moves farther in a substep is fast. Slower ones are the contact law's business, which lets them come
 * that near, and about as much again before they are turned.
 */
export const FAST_SHARE = 1 / CCD_PARTS;

/** Of a diameter: how deep a path leads into another. Resting contacts of equals are not as deep, so that they end none. */
export const OVERLAP_SHARE = 1 / CCD_PARTS;

/**
 * Of a diameter: how far the last tick before a wall may take one, so that it lies against it. Ticks that are longer might
 * take it through others.
 */
export const TO_WALL = 1 / CCD_PARTS;

/** A key later than any path. */
export const NEVER = 2 ** 32;

const NO_CLOSING = 2 ** CLOSING_BITS - 1;

/** The key of a path that ends at a tick without a hit: later than any hit in it. */
export function keyOfEnd(time: number): number {
  return Math.floor(time * CCD_TICKS) * 2 ** CLOSING_BITS + NO_CLOSING;
}

const bits = new DataView(new ArrayBuffer(4));

/** The key of a hit: of two, the lower comes first. `closing`: in lengths a substep. */
export function keyOfHit(time: number, closing: number): number {
  bits.setFloat32(0, closing);
  return keyOfEnd(time) - (bits.getUint32(0) >>> (31 - CLOSING_BITS));
}

/** The time of a key: whole ticks, in substeps. */
export function timeOfKey(key: number): number {
  return Math.floor(key / 2 ** CLOSING_BITS) / CCD_TICKS;
}

/** Rounds after which what is not settled is held. */
export const CCD_ROUNDS = 32;

/** Of how the fast particles of a step fared. */
export interface ContinuousCounts {
  /** Particles that need the step's substeps: in one step, but not in a substep, they would move too far. */
  readonly substepped: number;
  /** Particles too fast for a substep, at the beginning of the step: their paths are followed. */
  readonly swept: number;
  /** Paths followed in all substeps of the step, and how they ended early: at a hit, or held. */
  readonly paths: number;
  readonly hits: number;
  readonly held: number;
}

export const NO_CONTINUOUS_COUNTS: ContinuousCounts = { substepped: 0, swept: 0, paths: 0, hits: 0, held: 0 };

/** Those of a step so far, and those of one more substep; undefined before the first. */
export function addContinuousCounts(
  sum: ContinuousCounts | undefined,
  substep: ContinuousCounts,
): ContinuousCounts {
  if (!sum) return substep;
  const { paths, hits, held } = substep;
  return { ...sum, paths: sum.paths + paths, hits: sum.hits + hits, held: sum.held + held };
}

/**
 * The most diameters that one of the first `count` particles may move in `dt` seconds, those aside that are set aside.
 * `radius`: of all, where none has a size of its own.
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
    let place = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      squared += (velocities[dimensions * slot + axis] as number) ** 2;
      place += positions[dimensions * slot + axis] as number;
    }
    const way = ((Math.sqrt(squared) + gained) * dt) / thicknessOf(dimensions, sizes, slot, radius);
    if (way > farthest && Number.isFinite(place)) farthest = way;
  }
  return farthest;
}

/** The ends of a substep's motion, sorted; those from `live` on are set aside. */
export interface CcdState extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly live: number;
}

/** How candidates are found; more than are asked for do no harm. */
export interface CcdSearch {
  /** Slots of particles that at their ends, an eighth of their extent wider on each side, reach into a box; others may be. */
  particles(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  /** Obstacles, by slot, and the slots of those that reach into a box. */
  readonly obstacles: StaticBodies | undefined;
  visitObstacles(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
  /** Every two boxes of packed ones (low corner, high corner) that overlap, once. */
  meetings(boxes: Float32Array, visit: (first: number, second: number) => void): void;
}

/** Of a period: no piece of a path in a world that wraps around is longer. */
export const PIECE_SHARE = 1 / 4;

/**
 * Longest piece of a path of a particle that is filed in cells of an edge: in a world that wraps around, short enough
 * that of another particle the nearest image stays the nearest, and that of an obstacle, which may reach half a period
 * far, no image is met but the nearest and the next one ahead.
 */
export function longestPiece({ period, diameter }: World, cellSize: number): number {
  return period.reduce(
    (longest, length) => (length > 0 ? Math.min(longest, PIECE_SHARE * length - diameter / 2) : longest),
    PIECE_CELLS * cellSize,
  );
}

/**
 * What a hit does to the velocity of one of two, `part` of what both would do; `grip`: share of the sliding that friction
 * may take. Antisymmetric to the bit, as the contact law is.
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
  const change = Math.max(0, -part * (1 + kept) * approach);
  const sliding = relative.map((along, axis) => along - approach * (normal[axis] as number));
  const slidingSpeed = Math.hypot(...sliding);
  const braking = frictionShare(change, slidingSpeed, grip, friction);
  return sliding.map((along, axis) => change * (normal[axis] as number) - braking * along);
}
