/**
 * Formulas of the contact law (law.ts) that continuous motion does not use, only passes of the CPU engine. They have
 * their own file, so that the page does not load them with the GPU engine.
 */
import { LIMIT_SLACK, MOST_LOAD } from './law';
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
  const limit = approach > 0 ? pushSpeed : Math.max(pushSpeed, -share * approach);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  return Math.min(pushVelocity, limit) * kept;
}

/** Returns the change of the normal velocity at a wall that the particle does not bounce off. `approach` is below 0. */
export function wallChange(depthVelocity: number, approach: number): number {
  return Math.min(depthVelocity, -approach);
}

/**
 * Returns the largest change of a particle's velocity that all its contacts together may cause, without walls.
 * `closing` is the largest change that any contact needs to end its approach.
 */
export function changeLimit(
  closing: number,
  { restitution, friction, pushSpeed }: Pick<Substep, 'restitution' | 'friction' | 'pushSpeed'>,
): number {
  return (1 + restitution) * (1 + friction) * LIMIT_SLACK * closing + pushSpeed / 8;
}

/** Returns the share of the slip by gravity that static friction holds; see `hold` in law.ts. */
export function heldShare(
  support: number,
  bearing: number,
  used: number,
  slip: number,
  friction: number,
): number {
  if (!(slip > 0 && bearing > 0)) return 0;
  return (support / bearing) * Math.min(1, Math.max(0, friction * support - used) / slip);
}

/**
 * Returns the load of a particle: how much its contacts press on it from opposite sides, in units of its own weight.
 * `bearing` is the sum of the magnitudes of the normal changes, `net` the magnitude of the change of its velocity.
 */
export function loadOf(bearing: number, net: number, restSpeed: number): number {
  return restSpeed > 0 ? Math.min(MOST_LOAD, Math.max(0, bearing - net) / restSpeed) : 0;
}
