/**
 * The contact law (src/core/contact/law.ts) in 32 bits. Twin of shaders/solve/contact_law.wgsl: the same operations in
 * the same order, each rounded once.
 */
import {
  ASIDE_FROM,
  BOUNCE_PUSH,
  DEEP,
  FREE_PUSH,
  LEAST_REST_SPEED,
  LOAD_KEPT,
  MOST_LOAD,
  REST_LOAD,
  SATURATED,
  SPREADING,
} from '../../core/base/constants';
import { massShare, sideOf, turned } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import type { World } from '../../core/world/world';
import type { GridState } from '../query/probe';
import { add, addScaled, type Contact, dot, scale, subtract, type Vector } from './contact';

const { fround } = Math;

/**
 * Returns a particle's share of a contact. `countsLoads` must be false for a bounce: with loads, a bounce would not
 * keep momentum.
 */
export function shareOf(
  { dimensions }: World,
  { radii, bulks, loads }: GridState,
  slot: number,
  other: number,
  countsLoads = false,
): number {
  const sizes = bulks ?? radii;
  if (!sizes) return 0.5;
  const loadAt = (of: number) => (countsLoads && loads ? (loads[of] as number) : 0);
  return massShare(dimensions, sizes[slot] as number, sizes[other] as number, loadAt(slot), loadAt(other));
}

/**
 * Returns the factors from the overlap to `depth`, and from a speed to `strain`. `load` is the sum of the loads of both
 * bodies.
 */
export function ratesOf(
  { deepRate, strainRate }: Substep,
  { radii, bulks }: Pick<GridState, 'radii' | 'bulks'>,
  slot: number,
  other: number,
  load: number,
): readonly [number, number] {
  if (!radii) return [deepRate, strainRate];
  const size = 2 * Math.min(radii[slot] as number, radii[other] as number);
  const masses = bulks ?? radii;
  const borne = masses[slot] === masses[other] ? 0 : load;
  return [fround(DEEP / size), fround(strainRate / fround(1 + borne))];
}

/** The effect of a contact on one particle, or a sum of effects. */
export interface Effect {
  readonly push: Vector;
  readonly change: Vector;
  /** Sum of the changes along the normals of contacts that do not bounce. `bearing` is the sum of their lengths. */
  readonly support: Vector;
  readonly bearing: number;
  /** `closing`, `depth` and `strain`: see law.ts. In a sum of effects, each is the largest one. */
  readonly closing: number;
  readonly depth: number;
  readonly strain: number;
}

export function noEffect(dimensions: number): Effect {
  const zero = new Array<number>(dimensions).fill(0);
  return { push: zero, change: zero, support: zero, bearing: 0, closing: 0, depth: 0, strain: 0 };
}

export function sumOf(a: Effect, b: Effect): Effect {
  return {
    push: add(a.push, b.push),
    change: add(a.change, b.change),
    support: add(a.support, b.support),
    bearing: fround(a.bearing + b.bearing),
    closing: Math.max(a.closing, b.closing),
    depth: Math.max(a.depth, b.depth),
    strain: Math.max(a.strain, b.strain),
  };
}

/** Returns `spring` of law.ts. Multiplies in the order of the shader; halving and doubling round nothing. */
export function pushOf({ halfRelaxation }: Substep, share: number, overlap: number): number {
  return fround(fround(share * fround(2 * halfRelaxation)) * overlap);
}

/** Returns the vector aside · t of law.ts. `rate`: DEEP / diameter. `sum`: both positions added. */
export function pushAside(substep: Substep, { normal, overlap }: Contact, rate: number, sum: Vector): Vector {
  const beyond = fround(Math.max(0, fround(rate * overlap) - ASIDE_FROM));
  const share = fround(beyond * sideOf(rate, sum));
  return scale(fround(share * pushOf(substep, 0.5, overlap)), turned(normal).map(fround));
}

/** The input of the law besides the geometry of a contact. */
export interface Meeting {
  /** The velocity relative to the other body. */
  readonly relative: Vector;
  readonly bounces: boolean;
  readonly share: number;
  /** See restitutionOf in core/contact/law.ts. */
  readonly restitution: number;
  /** See ratesOf. */
  readonly rates: readonly [number, number];
}

export function contactEffect(
  substep: Substep,
  { normal, overlap }: Contact,
  { relative, bounces, share, restitution, rates }: Meeting,
): Effect {
  const { friction, gripShare, dt } = substep;
  const approach = dot(relative, normal);
  const spring = pushOf(substep, share, overlap);
  const half = halfChange(substep, overlap, approach, restitution);
  const change = bounces ? bounceChange(restitution, approach, share) : fround(2 * share * half);
  const excess = bounces ? 0 : fround(half + Math.min(approach / 2, 0));
  const push = bounces
    ? fround(fround(BOUNCE_PUSH * share) * overlap)
    : Math.min(
        fround(spring + fround((FREE_PUSH - 1) * fround(spring - fround(dt * change)))),
        fround(share * overlap),
      );
  const sliding = subtract(relative, scale(approach, normal));
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const grip = fround(fround(2 * gripShare) * share);
  const braking = frictionShare(friction, change, slidingSpeed, grip);
  const frictionPush = bounces ? 0 : fround(braking * dt);
  const bearing = bounces ? 0 : change;
  const total = subtract(scale(change, normal), scale(braking, sliding));
  return {
    push: subtract(scale(push, normal), scale(frictionPush, sliding)),
    change: total,
    support: scale(bearing, normal),
    bearing,
    closing: bounces ? fround(Math.sqrt(dot(total, total))) : fround(fround(-SPREADING * share) * approach),
    depth: fround(rates[0] * overlap),
    strain: fround(rates[1] * excess),
  };
}

export function gainOf({ gravity, dt }: Substep): Vector {
  return gravity.map((along) => fround(along * dt));
}

function keptShare(size: number, limit: number, beyond: number): number {
  if (!(size > limit)) return 1;
  const limited = Math.min(1, Math.max(0, fround(beyond - 1)));
  return fround(fround(1 - limited) + fround(limited * fround(limit / size)));
}

export function settle(substep: Substep, sum: Effect): Effect {
  const { kickSpeed, calmSpeed, friction, dt } = substep;
  const size = fround(Math.sqrt(dot(sum.change, sum.change)));
  const kept = Math.min(
    keptShare(size, Math.max(sum.closing, kickSpeed), sum.depth),
    keptShare(size, Math.max(sum.closing / 2, calmSpeed), sum.strain),
  );
  const change = scale(kept, sum.change);
  const supports = scale(kept, sum.support);
  const bearing = fround(kept * sum.bearing);
  const gain = gainOf(substep);
  const support = fround(Math.sqrt(dot(supports, supports)));
  // The length of a tiny support may be 0, because its square underflows.
  if (!(support > 0 && dot(supports, gain) < 0)) return { ...sum, change, bearing };
  const up = supports.map((along) => fround(along / support));
  const slip = subtract(gain, scale(dot(gain, up), up));
  const used = subtract(change, scale(dot(change, up), up));
  const held = heldShare(
    friction,
    support,
    fround(Math.sqrt(dot(used, used))),
    fround(Math.sqrt(dot(slip, slip))),
  );
  return {
    ...sum,
    push: subtract(sum.push, scale(fround(held * dt), slip)),
    change: subtract(change, scale(held, slip)),
    bearing,
  };
}

function heldShare(friction: number, support: number, used: number, slip: number): number {
  if (!(slip > 0)) return 0;
  const room = Math.max(0, fround(fround(friction * support) - used));
  return Math.min(1, fround(room / slip));
}

/** Returns the factor on the velocity at the end of a pass. */
export function movingShare(
  { inverseDt, calmSpeed }: Substep,
  { push, change, strain }: Effect,
  velocity: Vector,
): number {
  const along = dot(subtract(scale(inverseDt, push), change), velocity);
  const squared = dot(velocity, velocity);
  const most = Math.min(squared, fround(calmSpeed * fround(Math.sqrt(squared))));
  const taken = Math.min(most, Math.max(0, -along));
  if (!(taken > 0)) return 1;
  const limited = Math.min(1, Math.max(0, fround(strain - (SATURATED + 1))));
  return fround(1 - fround(limited * fround(taken / squared)));
}

/** Returns the load. `bearing` and `change` include the effect of obstacles and walls. */
export function loadOf({ restSpeed }: Substep, bearing: number, change: Vector): number {
  if (!(restSpeed > LEAST_REST_SPEED)) return 0;
  const net = fround(Math.sqrt(dot(change, change)));
  const spare = Math.max(0, fround(fround(LOAD_KEPT * bearing) - net));
  return Math.min(MOST_LOAD, fround((REST_LOAD * spare) / restSpeed));
}

function bounceChange(restitution: number, approach: number, share: number): number {
  return fround(fround(-share * fround(1 + restitution)) * approach);
}

function halfChange(
  { halfRelaxation, inverseDt, pushSpeed, parting, restSpeed }: Substep,
  overlap: number,
  approach: number,
  restitution: number,
): number {
  const ending = -approach / 2;
  const limit =
    approach > 0 ? Math.max(0, fround(pushSpeed + fround(parting * ending))) : Math.max(pushSpeed, ending);
  const kept = Math.abs(approach) > restSpeed ? fround(1 - restitution) : 1;
  return fround(Math.min(fround(fround(halfRelaxation * overlap) * inverseDt), limit) * kept);
}

function frictionShare(friction: number, change: number, slidingSpeed: number, grip: number): number {
  if (!(slidingSpeed > 0)) return 0;
  return fround(Math.min(fround(friction * change), fround(grip * slidingSpeed)) / slidingSpeed);
}

/** A particle after its contacts with others, while obstacles and walls act on it. */
export interface Moved {
  readonly position: Vector;
  readonly velocity: Vector;
  /** How much obstacles and walls press on it in all (law.ts). */
  readonly pressing: number;
  /** The velocity s of law.ts, on which friction acts. */
  readonly sliding: Vector;
  /** True if an obstacle or a wall bounces the particle. */
  readonly isBounced: boolean;
}

export type Box = Pick<Substep, 'lower' | 'upper'>;

/** Lets one wall after the other act. `restitution`: see restitutionOf in core/contact/law.ts. */
export function meetWalls(substep: Substep, restitution: number, box: Box, before: Moved): Moved {
  let moved = before;
  for (let axis = 0; axis < before.position.length; axis++) {
    moved = meetWall(substep, restitution, moved, axis, box.lower[axis] as number, 1);
    moved = meetWall(substep, restitution, moved, axis, box.upper[axis] as number, -1);
  }
  return moved;
}

function meetWall(
  substep: Substep,
  restitution: number,
  moved: Moved,
  axis: number,
  limit: number,
  inward: 1 | -1,
): Moved {
  const { velocity } = moved;
  const depth = inward * fround(limit - (moved.position[axis] as number));
  if (!(depth > 0)) return moved;
  const position = moved.position.with(axis, limit);
  const speed = velocity[axis] as number;
  const approach = inward * speed;
  if (!(approach < 0)) return { ...moved, position };
  const bounces = bouncesOffWall(substep, approach, restitution);
  const change = bounces ? bounceChange(restitution, approach, 1) : wallChange(substep, depth, approach);
  return {
    position,
    velocity: velocity.with(axis, fround(speed + inward * change)),
    pressing: fround(moved.pressing + change),
    sliding: moved.sliding.with(axis, 0),
    isBounced: moved.isBounced || bounces,
  };
}

function bouncesOffWall({ restSpeed }: Substep, approach: number, restitution: number): boolean {
  return restitution > 0 && approach < -restSpeed;
}

/** Returns the change of the normal velocity at a wall or an obstacle that does not bounce the particle. */
function wallChange({ inverseDt }: Substep, depth: number, approach: number): number {
  return Math.min(fround(depth * inverseDt), -approach);
}

/** Applies the friction of all obstacles and walls. Without walls, `box` is undefined. */
export function rub({ friction, dt }: Substep, moved: Moved, box?: Box): Moved {
  const { position, velocity, pressing, sliding, isBounced } = moved;
  if (!(pressing > 0)) return moved;
  const braking = frictionShare(friction, pressing, fround(Math.sqrt(dot(sliding, sliding))), 1);
  const frictionPush = isBounced ? 0 : fround(braking * dt);
  const rubbed = subtract(position, scale(frictionPush, sliding));
  return {
    ...moved,
    position: box ? clampVector(rubbed, box) : rubbed,
    velocity: subtract(velocity, scale(braking, sliding)),
  };
}

/**
 * Lets all obstacles that overlap a particle act like one wall, without friction, which `rub` applies later. `contacts`
 * must belong to the position in `moved`.
 */
export function meetObstacles(
  substep: Substep,
  restitution: number,
  contacts: readonly Contact[],
  moved: Moved,
): Moved {
  const { velocity } = moved;
  const zero: Vector = velocity.map(() => 0);
  let [push, sum] = [zero, zero];
  let [overlaps, lengths, greatest] = [0, 0, 0];
  let isBounced = false;
  const deepest = Math.max(0, ...contacts.map(({ overlap }) => overlap));
  for (const { normal, overlap } of contacts) {
    overlaps = fround(overlaps + overlap);
    push = addScaled(push, fround(BOUNCE_PUSH * overlap), normal);
    const approach = dot(velocity, normal);
    if (!(approach < 0)) continue;
    const bounces = bouncesOffWall(substep, approach, restitution);
    if (bounces ? overlap < deepest : isBounced) continue;
    const change = bounces ? bounceChange(restitution, approach, 1) : wallChange(substep, overlap, approach);
    // A bounce discards the changes by obstacles that do not bounce the particle.
    if (bounces && !isBounced) [sum, lengths, greatest, isBounced] = [zero, 0, 0, true];
    sum = addScaled(sum, change, normal);
    lengths = fround(lengths + change);
    greatest = Math.max(greatest, change);
  }
  const position = addScaled(moved.position, fround(obstacleShare(deepest, overlaps)), push);
  const size = fround(Math.sqrt(dot(sum, sum)));
  if (!(size > 0)) return { ...moved, position };
  const up = sum.map((along) => fround(along / size));
  const turn = fround(lengths / size);
  const approach = dot(velocity, up);
  const most = bounceChange(isBounced ? restitution : 0, approach, 1);
  const change = Math.min(fround(greatest * turn), most);
  return {
    position,
    velocity: addScaled(velocity, change, up),
    pressing: fround(change * turn),
    sliding: subtract(velocity, scale(approach, up)),
    isBounced,
  };
}

export function clampVector(position: Vector, { lower, upper }: Box): Vector {
  return position.map((coordinate, axis) =>
    Math.min(Math.max(coordinate, lower[axis] as number), upper[axis] as number),
  );
}
