/** The limits of a step of an exact simulation. */
import { ArgumentError } from '../base/errors';
import type { Settings } from '../contact/settings';
import type { Quanta } from './quanta';

/** Shortest and longest substep in seconds. */
export const SHORTEST_EXACT = 2 ** -14;
export const LONGEST_EXACT = 1 / 8;

/** Greatest push speed, and greatest speed that gravity adds in a substep, in quanta per second. */
export const MOST_SPEED = 2 ** 28;

/** Checks the limits of the time step and of gravity that only exact simulations have. */
export function checkExactStep(dt: number, { substeps, gravity }: Settings, { length }: Quanta): void {
  const shortest = SHORTEST_EXACT * substeps;
  const longest = LONGEST_EXACT * substeps;
  if (dt !== 0 && !(dt >= shortest && dt <= longest)) {
    const accepted = `0 or from ${shortest} to ${longest} s with ${substeps} substeps in an exact simulation`;
    throw new ArgumentError('dt', dt, accepted);
  }
  const most = (MOST_SPEED * length * substeps) / dt;
  gravity.forEach((along, axis) => {
    if (Math.abs(along) <= most) return;
    const accepted = `at most ${most} in magnitude in an exact simulation with ${substeps} substeps in ${dt} s`;
    throw new ArgumentError(`gravity[${axis}]`, along, accepted);
  });
}
