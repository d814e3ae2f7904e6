/**
 * Formulas of law.ts that only passes of the CPU engine use. In their own file, the page does not load them with the
 * GPU engine.
 */
import { LEAST_REST_SPEED, LOAD_KEPT, MOST_LOAD } from '../base/constants';
import type { Substep } from './settings';

/** The change of one body's normal velocity without a bounce. `pushVelocity` is push / dt. */
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

/** Returns the change at a wall without a bounce. `approach` is below 0. */
export function wallChange(depthVelocity: number, approach: number): number {
  return Math.min(depthVelocity, -approach);
}

type Limits = Pick<Substep, 'limitFactor' | 'kickSpeed'>;

/** `closing` is the largest change that any contact needs to end its approach. */
export function changeLimit(closing: number, { limitFactor, kickSpeed }: Limits): number {
  return Math.max(limitFactor * closing, kickSpeed);
}

/** The largest `closing` that does not raise changeLimit, so loops may leave out such values. */
export function idleClosing({ limitFactor, kickSpeed }: Limits): number {
  return kickSpeed / limitFactor;
}

/**
 * Static friction holds the result · (|S|² G − (S·G) S); see `hold` in law.ts. `used` and `slip` are |S| times the
 * lengths of C and G across S.
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
 * How much contacts press on a particle from opposite sides, in units of its weight. `bearing` adds up normal changes,
 * `net` is the magnitude of the velocity's change.
 */
export function loadOf(bearing: number, net: number, restSpeed: number): number {
  if (!(restSpeed > LEAST_REST_SPEED)) return 0;
  return Math.min(MOST_LOAD, Math.max(0, LOAD_KEPT * bearing - net) / restSpeed);
}
