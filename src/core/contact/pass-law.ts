/**
 * Formulas of the contact law (law.ts) that continuous motion does not use, only passes of the CPU engine. They have
 * their own file, so that the page does not load them with the GPU engine.
 */
import { LEAST_REST_SPEED, LOAD_KEPT, MOST_LOAD } from '../base/constants';
import type { Substep } from './settings';

/**
 * Returns the change of one body's normal velocity in a contact that does not bounce. `pushVelocity` is push / dt.
 * `pushSpeed` is the greatest speed that a push may give to this body.
 */
export function pushChange(
  pushVelocity: number,
  approach: number,
  share: number,
  pushSpeed: number,
  restSpeed: number,
  restitution: number,
): number {
  const limit = Math.max(pushSpeed, -share * approach);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  return Math.min(pushVelocity, limit) * kept;
}

/** Returns the change of the normal velocity at a wall that the particle does not bounce off. `approach` is below 0. */
export function wallChange(depthVelocity: number, approach: number): number {
  return Math.min(depthVelocity, -approach);
}

type Limits = Pick<Substep, 'limitFactor' | 'kickSpeed'>;

/**
 * Returns the largest change of a particle's velocity that all its contacts together may cause, without walls.
 * `closing` is the largest change that any contact needs to end its approach.
 */
export function changeLimit(closing: number, { limitFactor, kickSpeed }: Limits): number {
  return Math.max(limitFactor * closing, kickSpeed);
}

/** Returns the largest `closing` that does not raise changeLimit, so loops may leave out such values. */
export function idleClosing({ limitFactor, kickSpeed }: Limits): number {
  return kickSpeed / limitFactor;
}

/**
 * Returns the factor f so that static friction holds f · (|S|² G − (S·G) S); see `hold` in law.ts. `used` and `slip` are
 * |S| times the lengths of C and G across S.
 */
export function holdFactor(
  supportSquared: number,
  bearing: number,
  used: number,
  slip: number,
  friction: number,
): number {
  const room = friction * supportSquared - used;
  if (!(room > 0 && slip > 0)) return 0;
  return Math.min(1, room / slip) / (bearing * Math.sqrt(supportSquared));
}

/**
 * Returns the load of a particle: how much its contacts press on it from opposite sides, in units of its own weight.
 * `bearing` adds up the magnitudes of the normal changes. `net` is the magnitude of the velocity's change.
 */
export function loadOf(bearing: number, net: number, restSpeed: number): number {
  if (!(restSpeed > LEAST_REST_SPEED)) return 0;
  return Math.min(MOST_LOAD, Math.max(0, LOAD_KEPT * bearing - net) / restSpeed);
}
