/**
 * Computes when two bodies that move in straight lines hit each other, and the normal of the hit. Applies the law of
 * law.ts in doubles, for balls and boxes. Twin of shaders/solve/ccd/impact.wgsl and obstacle_impact.wgsl.
 *
 * Motion is relative to the other body. The bodies overlap too deeply while the moving centre is within `round` of a
 * box with the half extents `sides` around the other centre. The distance to this region is a convex function of time.
 * So a tangent reaches zero no later than the distance, and Newton's method converges to the time of impact.
 */

import { CCD_TICKS } from '../base/constants';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { isBox, type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';
import {
  type CcdState,
  keyOfHit,
  MOST_TANGENTS,
  NEVER,
  OVERLAP_SHARE,
  PIECE_SHARE,
  SHORTEST_TANGENT,
} from './law';

/** A half extent that no particle can get around. */
const ENDLESS = Number.MAX_VALUE;

/**
 * Returns whether two bodies that overlap too deeply approach fast enough for a hit (law.ts). Rounding may make resting
 * bodies approach, but not so fast. `approach` is the relative motion along the normal, and `speedSquared` is the
 * square of the whole relative motion, in the same unit of length.
 */
function closesIn(approach: number, speedSquared: number): boolean {
  return approach * CCD_TICKS < -Math.sqrt(speedSquared);
}

function squareOf(vector: Float64Array): number {
  return vector.reduce((sum, along) => sum + along * along, 0);
}

function roundOf(dimensions: Dimensions, { radii, halves }: Sizes, body: number): number {
  return halves && isBox(dimensions, halves, body) ? 0 : (radii?.[body] as number);
}

/** Call `face` first: it sets the two bodies. */
export class Impact {
  /**
   * The unit vector from the other body to the particle; 0 if the centres do not differ along the axis of the shortest
   * way out.
   */
  readonly normal: Float64Array;
  /** The vector from the other body's centre to the particle's centre. */
  private readonly apart: Float64Array;
  private readonly motion: Float64Array;
  private readonly sides: Float64Array;
  private round = 0;
  private areBalls = true;
  /** `gap` is the distance until the overlap is too deep. `slope` is the rate at which `gap` changes. */
  private gap = 0;
  private slope = 0;

  constructor(
    private readonly world: World,
    private readonly substep: Substep,
    private readonly state: CcdState,
  ) {
    const { dimensions } = world;
    this.apart = new Float64Array(dimensions);
    this.motion = new Float64Array(dimensions);
    this.sides = new Float64Array(dimensions);
    this.normal = new Float64Array(dimensions);
  }

  /**
   * Sets both bodies: the particle `slot` at `time` on its path, and the body `other` of `others` (the state or the
   * obstacles) at `otherTime`. If `moves` is false, the other body rests from `otherTime` on.
   */
  face(
    slot: number,
    time: number,
    others: StaticBodies,
    other: number,
    otherTime: number,
    moves: boolean,
  ): void {
    const { apart, motion, state, world, substep } = this;
    const { positions, velocities } = state;
    const { dimensions, period } = world;
    const { dt } = substep;
    const isParticle = others.positions === positions;
    for (let axis = 0; axis < dimensions; axis++) {
      const own = dimensions * slot + axis;
      const otherEntry = dimensions * other + axis;
      const way = Math.fround(dt * (velocities[own] as number));
      const otherWay = isParticle ? Math.fround(dt * (velocities[otherEntry] as number)) : 0;
      const position = (positions[own] as number) - (1 - time) * way;
      let difference = position - ((others.positions[otherEntry] as number) - (1 - otherTime) * otherWay);
      const length = period[axis] as number;
      if (length > 0) difference -= length * Math.round(difference / length);
      apart[axis] = difference;
      motion[axis] = moves ? way - otherWay : way;
    }
    this.setSizes(slot, others, other);
    if (!isParticle) this.extendEndless(others, other);
  }

  /** Sets `round` and `sides`. Without sizes, obstacles are as large as particles. */
  private setSizes(slot: number, others: Sizes, other: number): void {
    const { sides, state, world, substep } = this;
    const { dimensions } = world;
    const { radii, halves } = state;
    if (!radii) {
      this.round = (1 - OVERLAP_SHARE) * substep.diameter;
      return;
    }
    const slack =
      OVERLAP_SHARE *
      Math.min(thicknessOf(dimensions, state, slot, 0), thicknessOf(dimensions, others, other, 0));
    const round = roundOf(dimensions, state, slot) + roundOf(dimensions, others, other);
    this.round = Math.max(0, round - slack);
    this.areBalls = true;
    if (!halves || !others.halves) return;
    for (let axis = 0; axis < dimensions; axis++) {
      const sum =
        (halves[dimensions * slot + axis] as number) + (others.halves[dimensions * other + axis] as number);
      if (sum > 0) this.areBalls = false;
      sides[axis] = round > 0 ? sum : sum - slack;
    }
  }

  /** Makes a box endless along each periodic axis that it fills: no path enters or leaves the box along this axis. */
  private extendEndless(others: Sizes, other: number): void {
    const { sides, world } = this;
    const { dimensions, period } = world;
    const { halves } = others;
    if (!halves || !isBox(dimensions, halves, other)) return;
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      if (length > 0 && (halves[dimensions * other + axis] as number) >= length / 2) sides[axis] = ENDLESS;
    }
  }

  /** Returns the key of the first hit at or after `from`; NEVER if there is none. */
  key(from: number): number {
    return this.areBalls ? this.keyForBalls(from) : this.keyForBoxes(from);
  }

  /**
   * Like `key`, but for all images of an obstacle: a particle may miss the nearest image of a large obstacle and hit
   * another. Pieces of paths are so short that, along each axis, they reach only the nearest image and the next one
   * ahead.
   */
  keyOnImages(from: number, axis = 0): number {
    if (axis === this.world.dimensions || !this.state.radii) return this.key(from);
    const key = this.keyOnImages(from, axis + 1);
    const step = this.stepAhead(axis);
    if (step === 0) return key;
    const { apart } = this;
    const along = apart[axis] as number;
    apart[axis] = along - step;
    const ahead = this.keyOnImages(from, axis + 1);
    apart[axis] = along;
    return Math.min(key, ahead);
  }

  /** Returns the signed step along an axis from the nearest image to the next one ahead; 0 if no piece reaches it. */
  private stepAhead(axis: number): number {
    const length = this.world.period[axis] as number;
    const reach = this.round + (this.areBalls ? 0 : (this.sides[axis] as number));
    if (length === 0 || reach >= ENDLESS) return 0;
    const direction = Math.sign(this.motion[axis] as number);
    const ahead = length - direction * (this.apart[axis] as number);
    return ahead <= reach + PIECE_SHARE * length ? direction * length : 0;
  }

  private keyForBalls(from: number): number {
    const { apart, motion, round } = this;
    let approach = 0;
    let squared = 0;
    let speed = 0;
    for (let axis = 0; axis < apart.length; axis++) {
      const along = apart[axis] as number;
      const moving = motion[axis] as number;
      approach += along * moving;
      squared += along * along;
      speed += moving * moving;
    }
    if (!(approach < 0)) return NEVER;
    const gap = squared - round * round;
    if (gap <= 0) {
      if (!closesIn(approach, squared * speed)) return NEVER;
      return keyOfHit(from, -approach / Math.sqrt(squared));
    }
    const discriminant = approach * approach - speed * gap;
    if (discriminant < 0) return NEVER;
    const root = Math.sqrt(discriminant);
    const time = from + gap / (root - approach);
    if (!(time <= 1)) return NEVER;
    return keyOfHit(time, root / round);
  }

  private keyForBoxes(from: number): number {
    let later = 0;
    for (let tangent = 0; tangent < MOST_TANGENTS; tangent++) {
      this.measure(later);
      const { gap, slope } = this;
      if (!(slope < 0)) return NEVER;
      if (gap <= 0) {
        if (later === 0 && !closesIn(slope, squareOf(this.motion))) return NEVER;
        break;
      }
      const step = -gap / slope;
      later += step;
      if (!(from + later <= 1)) return NEVER;
      if (step < SHORTEST_TANGENT) break;
    }
    return keyOfHit(from + later, -this.slope);
  }

  /** Sets `normal`, `gap` and `slope` for the time `later` after that of `face`. */
  measure(later: number): void {
    const { apart, motion, sides, normal, areBalls } = this;
    let squared = 0;
    let deepest = Number.NEGATIVE_INFINITY;
    let least = 0;
    for (let axis = 0; axis < apart.length; axis++) {
      const along = (apart[axis] as number) + later * (motion[axis] as number);
      const outside = Math.abs(along) - (areBalls ? 0 : (sides[axis] as number));
      if (outside > deepest) {
        deepest = outside;
        least = axis;
      }
      normal[axis] = outside > 0 ? Math.sign(along) * outside : 0;
      if (outside > 0) squared += outside * outside;
    }
    if (squared > 0) {
      const distance = Math.sqrt(squared);
      for (let axis = 0; axis < normal.length; axis++) normal[axis] = (normal[axis] as number) / distance;
      this.gap = distance - this.round;
    } else {
      normal.fill(0);
      normal[least] = Math.sign((apart[least] as number) + later * (motion[least] as number));
      this.gap = deepest - this.round;
    }
    this.slope = normal.reduce((sum, along, axis) => sum + along * (motion[axis] as number), 0);
  }
}
