/**
 * The contact law (../contact/law.ts) in whole numbers: lengths in quanta, velocities in quanta per second. The main
 * differences: results are rounded to whole numbers, obstacles remove the whole overlap, and there is no `aside`. Twin:
 * shaders/solve/exact/law.wgsl.
 */
import { DEEP, FREE_PUSH, PARTING, STRAIN } from '../base/constants';
import { clamp, ONE, ratio, round, scale, share } from './integers';
import type { ExactSubstep } from './substep';

/** The greatest number that is multiplied by the coefficient of friction, which is at most 10. */
export const MOST_LOADED = 2 ** 27;

/** Returns the greatest change of velocity by friction. `change` is the change of the normal velocity. */
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

/** Returns the speed that a push gives beyond ending an approach. `partingSpeed` is share · vn. */
export function excessOf(change: number, partingSpeed: number): number {
  return change + Math.min(0, partingSpeed);
}

/** Returns the depth of a contact in units of 1/ONE. */
export function depthOf(overlap: number, { quanta: { diameter } }: ExactSubstep): number {
  return Math.floor((DEEP * overlap * ONE) / diameter);
}

/** Returns the strain, at least 0, of a contact that does not bounce, in units of 1/ONE. */
export function strainOf(excess: number, { pushSpeed }: ExactSubstep): number {
  return excess > 0 ? STRAIN * ratio(Math.min(excess, pushSpeed), pushSpeed) : 0;
}

/** Returns the fraction of a sum of changes that is kept. `size` is the length of the sum. */
export function keptShare(
  size: number,
  closing: number,
  depth: number,
  strain: number,
  { kickSpeed, calmSpeed }: ExactSubstep,
): number {
  return Math.min(
    keptBy(size, Math.max(closing, kickSpeed), depth),
    keptBy(size, Math.max(Math.floor(closing / 2), calmSpeed), strain),
  );
}

function keptBy(size: number, most: number, beyond: number): number {
  if (size <= most || beyond <= ONE) return ONE;
  return ONE - share(ratio(size - most, size), Math.min(ONE, beyond - ONE));
}

/**
 * Returns the held fraction: static friction holds this much of the slip that gravity causes. `room` is the change
 * of velocity that friction may still make.
 */
export function heldShare(room: number, slip: number): number {
  if (room <= 0 || slip === 0) return 0;
  return ratio(Math.min(room, slip), slip) / ONE;
}

/** Returns the change of the normal velocity at a wall or an obstacle. `approach` is below 0. */
export function wallChange(
  depth: number,
  approach: number,
  bounces: boolean,
  { rebound, wallRate, mostDepth }: ExactSubstep,
): number {
  if (bounces) return scale(-approach, rebound);
  // Adds one quantum to the depth, so that a wall stops a body that gravity pressed into it in this substep.
  return Math.min(scale(Math.min(depth + 1, mostDepth), wallRate), -approach);
}

/**
 * Returns the change of velocity along the common normal of several obstacles. `greatest` is the greatest change by one
 * of them, `fraction` is (length of the sum of their vectors) / (sum of the changes), and `most` is the change that
 * stops or bounces the particle.
 */
export function obstacleChange(greatest: number, fraction: number, most: number): number {
  const least = share(most, fraction);
  // The second result is greatest · ONE / fraction, which is below `most`.
  return least <= greatest ? most : share(most, ratio(greatest, least));
}

/** Returns how hard several obstacles press on a particle: `change` / `fraction`, rounded down, at most MOST_LOADED. */
export function pressureOf(change: number, fraction: number): number {
  return Math.min(MOST_LOADED, Math.floor((change * ONE) / fraction));
}

/**
 * Returns a component of a vector divided by the vector's length, as a fraction of ONE: like `ratio`, with a sign.
 * `lengthOf` may have rounded the length to less than the component.
 */
export function directionOf(component: number, length: number): number {
  const unit = length < 2 ** 28 ? 1 : 1 / 8;
  const fraction = (Math.trunc(component * unit) * ONE) / Math.trunc(length * unit);
  return Math.trunc(clamp(fraction, ONE));
}
