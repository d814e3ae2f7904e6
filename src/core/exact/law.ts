/**
 * The contact law (../contact/law.ts) in whole numbers: lengths in quanta, velocities in quanta per second. Only the
 * formulas differ in how they round; their meaning and their names are the same. Twin: shaders/solve/exact/law.wgsl.
 */
import { DEEP, FREE_PUSH, PARTING } from '../base/constants';
import { dot, lengthOf, ONE, ratio, round, scale, share } from './integers';
import type { ExactSubstep } from './substep';

/** The greatest number that is multiplied by the coefficient of friction, which is at most 10. */
const MOST_LOADED = 2 ** 27;

/** Returns the greatest change of velocity by friction for a normal change. */
export function grip(change: number, friction: number): number {
  return scale(Math.min(change, MOST_LOADED), friction);
}

/**
 * Returns the change of one body's normal velocity in a contact that does not bounce. `pushVelocity` is spring / dt;
 * `partingSpeed` is share · vn.
 */
export function pushChange(
  pushVelocity: number,
  approach: number,
  partingSpeed: number,
  { pushSpeed, restSpeed, damping }: ExactSubstep,
): number {
  const most =
    partingSpeed > 0 ? Math.max(0, pushSpeed - PARTING * partingSpeed) : Math.max(pushSpeed, -partingSpeed);
  const change = Math.min(pushVelocity, most);
  return Math.abs(approach) > restSpeed ? scale(change, damping) : change;
}

/** Returns how far a contact that does not bounce moves a body besides `moved`. `most` is share · overlap. */
export function freePush(spring: number, moved: number, most: number): number {
  return Math.min(round(FREE_PUSH * (spring - moved)), most - moved);
}

/**
 * Returns the fraction of a sum of changes that is kept. `size` is the length of the sum; `deepest` is in quanta, and
 * above 1 / DEEP of the diameter.
 */
export function keptShare(
  size: number,
  closing: number,
  deepest: number,
  { kickSpeed, quanta: { diameter } }: ExactSubstep,
): number {
  const most = Math.max(closing, kickSpeed);
  if (size <= most) return ONE;
  const limited = Math.min(ONE, Math.floor(((DEEP * deepest - diameter) * ONE) / diameter));
  return ONE - share(ratio(size - most, size), limited);
}

/** The vector that holdByFriction computes. */
export const held = new Float64Array(3);

/**
 * Computes by how much static friction changes the velocity of a particle that rests on its contacts: `hold` of
 * ../contact/law.ts. Returns false if it does not; otherwise `held` has the vector to subtract. C is the change, S the
 * support, G the gain by gravity.
 */
export function holdByFriction(
  changeX: number,
  changeY: number,
  changeZ: number,
  supportX: number,
  supportY: number,
  supportZ: number,
  gain: Float64Array,
  bearing: number,
  friction: number,
): boolean {
  const gainX = gain[0] as number;
  const gainY = gain[1] as number;
  const gainZ = gain[2] as number;
  const size = lengthOf(supportX, supportY, supportZ);
  if (size === 0) return false;
  const x = directionOf(supportX, size);
  const y = directionOf(supportY, size);
  const z = directionOf(supportZ, size);
  const weight = dot(gainX, gainY, gainZ, x, y, z);
  if (weight >= 0) return false;
  const acrossX = gainX - share(weight, x);
  const acrossY = gainY - share(weight, y);
  const acrossZ = gainZ - share(weight, z);
  const slip = lengthOf(acrossX, acrossY, acrossZ);
  if (slip === 0) return false;
  const along = dot(changeX, changeY, changeZ, x, y, z);
  const used = lengthOf(changeX - share(along, x), changeY - share(along, y), changeZ - share(along, z));
  const room = grip(size, friction) - used;
  if (room <= 0) return false;
  const fraction = share(ratio(Math.min(room, slip), slip), ratio(Math.min(size, bearing), bearing));
  held[0] = share(acrossX, fraction);
  held[1] = share(acrossY, fraction);
  held[2] = share(acrossZ, fraction);
  return true;
}

/** Returns a component of a vector divided by the vector's length, as a fraction of ONE. */
export function directionOf(component: number, length: number): number {
  const fraction = ratio(Math.min(Math.abs(component), length), length);
  return component < 0 ? -fraction : fraction;
}
