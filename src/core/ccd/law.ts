/**
 * Continuous motion: the law for particles that move too far in a substep to be caught where they arrive. It says which
 * particles are fast, where their paths end, and how that changes velocities. paths.ts implements it for the CPU,
 * shaders/solve/ccd for the GPU.
 *
 * The law applies after integration and before the sort. The diameter of a body is its own if sizes differ; the
 * diameter of a box is its shortest edge.
 *   - A particle is fast if it moves farther than a sixteenth of its diameter (FAST_SHARE) in the substep. Its path is
 *     the straight line from its old to its new position. Time on it runs from 0 to 1, in whole ticks.
 *   - The path ends at the first wall that it crosses, or at the first particle or obstacle that it approaches and
 *     overlaps by a sixteenth of the smaller diameter (OVERLAP_SHARE). An overlap as deep at the start counts only if
 *     the path goes at least a tick deeper. Of several at the same time, the path ends at the one with the greatest
 *     closing speed; if equal, at the one with the lowest id. The contact law handles the remaining overlap.
 *   - Slow particles move in straight lines too. Obstacles stand still. Fast particles move until their own path ends,
 *     and rest there for the rest of the substep.
 *   - Ends depend on each other, but an earlier end never depends on a later one. Each of CCD_ROUNDS rounds follows all
 *     paths again, against the others' ends of the round before. After n rounds every end that depends on fewer than n
 *     others is final. So all ends before the earliest time that the last round changed are final. The other paths are
 *     held at that time: they end in mid-air, with their velocity, and go on in the next substep.
 *   - Two particles that name each other as their hit bounce as a pair, with the restitution (none below restSpeed),
 *     friction and mass shares of the contact law. A slow particle names the first particle that names it. A particle
 *     that is not named in return rests until the next substep, with its velocity or what the contact law makes of it.
 *     Walls and obstacles are always available.
 *   - A path is held after MOST_PIECES pieces, that is after at most MOST_PIECES * PIECE_CELLS cells (of the particle's
 *     own level if sizes differ). If that is less than a tick, the particle stays at the start. The GPU also holds a
 *     path where floats are coarser than cells.
 *   - Gravity accelerates a particle only until its path ends.
 * So on a path no particle comes to overlap another by more than that, and none passes through another.
 */
import { CCD_PARTS, CCD_TICKS, CLOSING_BITS, PIECE_CELLS } from '../base/constants';
import { frictionShare } from '../contact/law';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';

/** Share of a diameter. A particle that moves farther in a substep is fast; the contact law can handle slower ones. */
export const FAST_SHARE = 1 / CCD_PARTS;

/**
 * Share of a diameter: the overlap at which a path ends. Resting contacts of equal particles are less deep and end
 * none.
 */
export const OVERLAP_SHARE = 1 / CCD_PARTS;

/**
 * Share of a diameter: the longest last tick before a wall that moves a particle against it. A longer tick could move
 * it through other particles.
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

/** The key of a hit; lower keys come first. `closing` is the closing speed in lengths per substep. */
export function keyOfHit(time: number, closing: number): number {
  bits.setFloat32(0, closing);
  return keyOfEnd(time) - (bits.getUint32(0) >>> (31 - CLOSING_BITS));
}

/** The time of a key: whole ticks, in substeps. */
export function timeOfKey(key: number): number {
  return Math.floor(key / 2 ** CLOSING_BITS) / CCD_TICKS;
}

/** The number of rounds. Paths that are not final after them are held. */
export const CCD_ROUNDS = 32;

/** Counts of the fast particles and paths of a step. */
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

/** Adds the counts of a substep to those of the step so far, which are undefined before the first substep. */
export function addContinuousCounts(
  sum: ContinuousCounts | undefined,
  substep: ContinuousCounts,
): ContinuousCounts {
  if (!sum) return substep;
  const { paths, hits, held } = substep;
  return { ...sum, paths: sum.paths + paths, hits: sum.hits + hits, held: sum.held + held };
}

/**
 * Returns the greatest distance, in diameters, that one of the first `count` particles may move in `dt` seconds.
 * Ignores non-finite particles. `radius` is the radius of all particles if sizes do not differ.
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

/** Particles after a substep's motion, sorted. Entries from `live` on are set aside. */
export interface CcdState extends Sizes {
  readonly ids: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly live: number;
}

/** Finds candidates. It may visit more than requested. */
export interface CcdSearch {
  /** Visits the particles that reach into a box at their end position, if widened by an eighth of their extent. */
  particles(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  /** The obstacles by slot; visitObstacles visits the slots of those that reach into a box. */
  readonly obstacles: StaticBodies | undefined;
  visitObstacles(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
  /** Visits every overlapping pair of packed boxes (low corner, high corner) once. */
  meetings(boxes: Float32Array, visit: (first: number, second: number) => void): void;
}

/** Share of a period: the longest piece of a path in a periodic world. */
export const PIECE_SHARE = 1 / 4;

/**
 * Returns the longest piece of a path for a particle whose level has cells of this size. In a periodic world it is
 * short enough that the nearest image of another particle stays the nearest, and that the piece can meet only the
 * nearest image of an obstacle (which may reach half a period) and the next one ahead.
 */
export function longestPiece({ period, diameter }: World, cellSize: number): number {
  return period.reduce(
    (longest, length) => (length > 0 ? Math.min(longest, PIECE_SHARE * length - diameter / 2) : longest),
    PIECE_CELLS * cellSize,
  );
}

/**
 * Returns the change of one particle's velocity by a hit. `part` is its share of the whole change, `grip` the greatest
 * share of the sliding that friction may remove. Antisymmetric to the bit, like the contact law.
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
