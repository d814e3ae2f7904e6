/**
 * The contact law (src/core/contact/law.ts) in 32 bits. Twin of shaders/solve/contact_law.wgsl: the same operations in
 * the same order, each rounded once.
 */
import { massShare } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import type { GridState } from '../query/probe';
import { type Contact, dot, scale, subtract, type Vector } from './contact';

const { fround } = Math;

/**
 * The part of one of the two particles in the effect of a contact: `share` applies to push and change, `grip` to
 * pushSpeed and friction.
 */
export interface Part {
  readonly share: number;
  readonly grip: number;
}

const HALF: Part = { share: 0.5, grip: 0.5 };

/** At an obstacle, the particle takes the whole effect, but friction brakes it no more than at another particle. */
export const ON_OBSTACLE: Part = { share: 1, grip: 0.5 };

/** Returns the part of the particle in `slot`. */
export function partOf(
  { dimensions }: World,
  { radii, bulks }: GridState,
  slot: number,
  other: number,
): Part {
  const sizes = bulks ?? radii;
  if (!sizes) return HALF;
  const share = massShare(dimensions, sizes[slot] as number, sizes[other] as number);
  return { share, grip: share };
}

/** The effect of one contact on one side: changes of its position and of its velocity. */
export interface Effect {
  readonly push: Vector;
  readonly change: Vector;
}

/**
 * Returns the length of the push on one of the particles. The shader multiplies in this order; halving and doubling
 * round nothing.
 */
export function pushOf({ halfRelaxation }: Substep, { share }: Part, overlap: number): number {
  return fround(fround(share * fround(2 * halfRelaxation)) * overlap);
}

/**
 * Returns the effect of a contact on the particle with this `part`. `relative` is its velocity relative to the other
 * particle.
 */
export function contactEffect(
  substep: Substep,
  { normal, overlap }: Contact,
  relative: Vector,
  bounces: boolean,
  part: Part,
): Effect {
  const { friction, gripShare, dt, inverseDt } = substep;
  const push = pushOf(substep, part, overlap);
  const approach = dot(relative, normal);
  const change = bounces
    ? bounceChange(substep, approach, part.share)
    : pushChange(substep, fround(push * inverseDt), approach, part);
  const sliding = subtract(relative, scale(approach, normal));
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const grip = fround(fround(2 * gripShare) * part.grip);
  const braking = frictionShare(friction, change, slidingSpeed, grip);
  const frictionPush = bounces ? 0 : fround(braking * dt);
  return {
    push: subtract(scale(push, normal), scale(frictionPush, sliding)),
    change: subtract(scale(change, normal), scale(braking, sliding)),
  };
}

function bounceChange({ restitution }: Substep, approach: number, share: number): number {
  return fround(fround(-share * fround(1 + restitution)) * approach);
}

function pushChange(
  { pushSpeed, restSpeed, restitution }: Substep,
  pushVelocity: number,
  approach: number,
  { share, grip }: Part,
): number {
  const most = fround(fround(2 * grip) * pushSpeed);
  const limit = approach > 0 ? most : Math.max(most, fround(-share * approach));
  const kept = Math.abs(approach) > restSpeed ? fround(1 - restitution) : 1;
  return fround(Math.min(pushVelocity, limit) * kept);
}

/** Returns the fraction of the sliding velocity that friction takes away. */
function frictionShare(friction: number, change: number, slidingSpeed: number, grip: number): number {
  if (!(slidingSpeed > 0)) return 0;
  return fround(Math.min(fround(friction * change), fround(grip * slidingSpeed)) / slidingSpeed);
}

/** Position and velocity of one particle. */
export interface Moved {
  readonly position: Vector;
  readonly velocity: Vector;
}

/** The corners of the box in which the centre of a particle stays. */
export type Box = Pick<Substep, 'lower' | 'upper'>;

/** Applies each wall in turn, then clamps the position. */
export function meetWalls(substep: Substep, box: Box, { position, velocity }: Moved): Moved {
  let moved = { position, velocity };
  for (let axis = 0; axis < position.length; axis++) {
    moved = meetWall(substep, moved, axis, box.lower[axis] as number, 1);
    moved = meetWall(substep, moved, axis, box.upper[axis] as number, -1);
  }
  return { position: clampVector(moved.position, box), velocity: moved.velocity };
}

/** Applies one wall. It moves the particle onto the wall at once, and friction may take all of the sliding. */
function meetWall(
  substep: Substep,
  { position, velocity }: Moved,
  axis: number,
  limit: number,
  inward: 1 | -1,
): Moved {
  const { restitution, friction, restSpeed, dt, inverseDt } = substep;
  const depth = inward * fround(limit - (position[axis] as number));
  if (!(depth > 0)) return { position, velocity };
  const onWall = position.with(axis, limit);
  const approach = inward * (velocity[axis] as number);
  if (!(approach < 0)) return { position: onWall, velocity };
  const bounces = restitution > 0 && approach < -restSpeed;
  const change = bounces
    ? bounceChange(substep, approach, 1)
    : Math.min(fround(depth * inverseDt), -approach);
  const sliding = velocity.with(axis, 0);
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const braking = frictionShare(friction, change, slidingSpeed, 1);
  const slowed = subtract(velocity, scale(braking, sliding));
  slowed[axis] = fround((slowed[axis] as number) + inward * change);
  const frictionPush = bounces ? 0 : fround(braking * dt);
  return { position: subtract(onWall, scale(frictionPush, sliding)), velocity: slowed };
}

export function clampVector(position: Vector, { lower, upper }: Box): Vector {
  return position.map((coordinate, axis) =>
    Math.min(Math.max(coordinate, lower[axis] as number), upper[axis] as number),
  );
}
