/**
 * When two bodies on straight ways come too near to each other, and how they lie to each other then: time of
 * impact of ball and ball, ball and box, box and box, by the law in law.ts, in doubles; of an obstacle with
 * whichever of its images is met first. Twin of `impact` and `impact_on_images` in shaders/solve/ccd/impact.wgsl.
 *
 * All places of the one's centre at which both overlap by more than they may on a path are, seen from the other, a box of
 * half extents `sides`, rounded by `round`: see shapes.ts. How far one on a straight way is from there is a convex function
 * of time, so a tangent never meets zero too late, and tangents one after the other come to where it does.
 */
import { CCD_TICKS } from '../base/constants';
import type { Substep } from '../contact/settings';
import type { StaticBodies } from '../obstacles/tree';
import { isBox, type Sizes, thicknessOf } from '../particles/shapes';
import type { Dimensions, World } from '../world/world';
import { type CcdState, keyOfHit, NEVER, OVERLAP_SHARE, PIECE_SHARE } from './law';

/** Tangents at most: each but the last halves what is left, and ticks are 2^14. */
const MOST_TANGENTS = 24;

/** A step of less does not change the tick, but where ticks meet. */
const SHORTEST_STEP = 1 / (8 * CCD_TICKS);

/** Half of what has no end: farther than any way. */
const ENDLESS = Number.MAX_VALUE;

/**
 * Whether two that are too near already come nearer, by more than rounding makes of two that bear on each other: by a tick
 * of their way. `speedSquared`: of what `approach` is a part of.
 */
function closesIn(approach: number, speedSquared: number): boolean {
  return approach * CCD_TICKS < -Math.sqrt(speedSquared);
}

function squareOf(vector: Float64Array): number {
  return vector.reduce((sum, along) => sum + along * along, 0);
}

/** Of a ball its radius, of a box 0; only where bodies have sizes of their own. */
function roundOf(dimensions: Dimensions, { radii, halves }: Sizes, body: number): number {
  return halves && isBox(dimensions, halves, body) ? 0 : (radii?.[body] as number);
}

/** Two bodies; `face` says which. */
export class Encounter {
  /** From the other to the one, of unit length, or 0 where neither way is out: as `measure` found it last. */
  readonly normal: Float64Array;
  /** From one to another, and how the one moves, seen from the other. */
  private readonly apart: Float64Array;
  private readonly motion: Float64Array;
  private readonly sides: Float64Array;
  private round = 0;
  private areBalls = true;
  /** How far the one is from where they are too near, below 0 there, and how fast it gets farther. */
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
   * One of the particles as it is at a time, and another particle or an obstacle at one, of their nearest images; seen from
   * who `moves` as well or rests there. `others`: where the other is to be found, the same state or obstacles.
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
      const theirs = dimensions * other + axis;
      const way = Math.fround(dt * (velocities[own] as number));
      const otherWay = isParticle ? Math.fround(dt * (velocities[theirs] as number)) : 0;
      const place = (positions[own] as number) - (1 - time) * way;
      let along = place - ((others.positions[theirs] as number) - (1 - otherTime) * otherWay);
      const length = period[axis] as number;
      if (length > 0) along -= length * Math.round(along / length);
      apart[axis] = along;
      motion[axis] = moves ? way - otherWay : way;
    }
    this.compare(slot, others, other);
    if (!isParticle) this.leaveEndless(others, other);
  }

  /** What the sizes of both make of it; without sizes obstacles are as large as particles. */
  private compare(slot: number, others: Sizes, other: number): void {
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

  /** A box of half the period or more has no end along that axis: no way leads out there, nor in. */
  private leaveEndless(others: Sizes, other: number): void {
    const { sides, world } = this;
    const { dimensions, period } = world;
    const { halves } = others;
    if (!halves || !isBox(dimensions, halves, other)) return;
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      if (length > 0 && (halves[dimensions * other + axis] as number) >= length / 2) sides[axis] = ENDLESS;
    }
  }

  /**
   * The key of a hit of the two, from a time on: at once if they are too near and approach each other, NEVER if they do not
   * come so near.
   */
  impact(from: number): number {
    return this.areBalls ? this.impactOfBalls(from) : this.impactOfBoxes(from);
  }

  /**
   * The same of an obstacle, with whichever of its images comes first on a piece of a path that begins then. With a
   * size of its own it may reach as far as half the period, so on the way another image may be met than the nearest at the
   * beginning; a piece is short enough that along each axis that can only be the next one ahead.
   */
  impactOnImages(from: number, axis = 0): number {
    if (axis === this.world.dimensions || !this.state.radii) return this.impact(from);
    const key = this.impactOnImages(from, axis + 1);
    const step = this.stepAhead(axis);
    if (step === 0) return key;
    const { apart } = this;
    const along = apart[axis] as number;
    apart[axis] = along - step;
    const ahead = this.impactOnImages(from, axis + 1);
    apart[axis] = along;
    return Math.min(key, ahead);
  }

  /** From an image to the next one ahead along an axis, or 0 where a piece of a path does not reach that. */
  private stepAhead(axis: number): number {
    const length = this.world.period[axis] as number;
    const reach = this.round + (this.areBalls ? 0 : (this.sides[axis] as number));
    if (length === 0 || reach >= ENDLESS) return 0;
    const direction = Math.sign(this.motion[axis] as number);
    const ahead = length - direction * (this.apart[axis] as number);
    return ahead <= reach + PIECE_SHARE * length ? direction * length : 0;
  }

  private impactOfBalls(from: number): number {
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

  private impactOfBoxes(from: number): number {
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
      if (step < SHORTEST_STEP) break;
    }
    return keyOfHit(from + later, -this.slope);
  }

  /** `normal`, `gap` and `slope` so much later than `face` was told. */
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
