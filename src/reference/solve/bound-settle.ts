/**
 * `settle`, `movingShare` and `loadOf` of contact-law.ts in exact arithmetic, and the errors of the GPU and the
 * reference. bound.ts explains the terms; f is the friction. A computed length is off by LENGTH = k / 2 u + 9 u. If its
 * square may be flushed to 0, it is also off by ± 2⁻⁶².
 *
 * Limit: the change C, off by ε, becomes (1 − D) C + D P. P is the projection of C onto the ball of radius L. L is the
 * larger of `closing` and kickSpeed, off by the error of `closing`. D = min(1, max(0, depth − 1)) is off by the error
 * of `depth`, and by u for the difference. The limit under strain is the same with closing / 2, calmSpeed and `strain`.
 *   - P passes on at most the errors of C and of L. If |C| − ε is above L, P passes on only the share
 *     q = L / (|C| − ε) of ε. So the result is off by (1 − D (1 − q)) ε and D · (error of L).
 *   - The error of D is multiplied by the greatest possible excess of |C| over L: |C| + ε − (least L).
 *   - If errors cannot lift |C| to L, or D above 0, C stays as it is, and nothing rounds.
 *   - The factor K = (1 − D) + D L / |C| also multiplies S and B (see below). It is smallest for the least L, the
 *     greatest |C| and the greatest D, and largest in the opposite case. Rounding adds D L / |C| (LENGTH + 6 u) for the
 *     quotient and a product, u (1 − D) for the difference, and u K for the sum. The product with C adds u K.
 *   - If both limits act, the smaller factor counts. The length of the result is off by at most the larger one of both
 *     errors. Its direction may be that of either computed result, so K ε is added.
 *
 * Hold: let S be the sum of supports, off by ε. Let G be gravity · dt, off by u.
 *   S·G       decides whether the particle is held. bound-law.ts derives the error of the component of S along G. The
 *             product adds (k + 2) u times the sum of |Sᵢ Gᵢ|
 *   up        S / |S|: off by UP = LENGTH + 5 u, besides the error of its direction
 *   slip      G across up: off by |G| (σ + 2 UP + (k + 4) u), with roundings. The sine of the angle between the exact
 *             and the computed S is at most σ = min(1, ε / |S|). So the parts of a vector across the two directions
 *             differ by at most σ times the vector's length
 *   used      C across up: off by the error of C, and by |C| (σ + 2 UP + (k + 4) u)
 *   room      r = max(0, f |S| − |used|): off by f ε, the error of `used`, f |S| (LENGTH + 2 u) and |used| (LENGTH + u)
 *   held      min(1, r / |slip|), so held · slip is P, the projection of `slip` onto the ball of radius r:
 *               - P is off by no more than the errors of `slip` and r together.
 *               - If errors cannot make r smaller than |slip|, the error of r does not count.
 *               - If errors cannot lift r above 0, P is 0.
 *             held · slip is off by the error of P, and by |P| (LENGTH + 6 u), for a length, a quotient (5 u) and a
 *             product
 * Up to roundings, held · slip is never longer than H = min(|G|, f (|S| + ε)). The roundings:
 *   - r exceeds f |S| by at most the share LENGTH + 2 u.
 *   - The length of slip exceeds |G| by at most the share 2 UP + (k + 4) u.
 * So the error of held · slip is at most |held · slip| + H. If errors may decide whether the particle is held, there
 * are two cases. If exact arithmetic holds it, the bound is at least |held · slip|. If not, the bound is H. For the
 * position, the product with dt adds u. Each subtraction rounds once. The bound assumes that |S|² is a normal number if
 * S is not 0.
 *
 * Moving share: let v be the velocity after friction, off by ε, E as in law.ts, and D = min(1, max(0, strain −
 * SATURATED − 1)). The result is the unit vector of v times |v| − D p, where p is the component of −E along v, but
 * between 0 and M. M is the smaller one of |v| and calmSpeed.
 *   - E = push / dt − C is off by η: the errors of push (divided by dt) and of C, and 3 u (|push| / dt + |C|).
 *   - ε turns v by an angle of at most about ε / |v|. So p is off by η, by the part of E across v times this angle, and
 *     by roundings: k u |E| for E·v, (k + 6) u p for the quotient, and p (LENGTH + u) for calmSpeed |v|.
 *   - The result is off by ε, by D times the error of p, by p times the error of D, and by 2 u |v| for roundings. It is
 *     never longer than |v|, which bounds the error if ε is not below |v|.
 *   - If no error can lift D and p above 0, v stays as it is.
 *
 * Load: let B be `bearing`, v the velocity before the pass, v′ the velocity after it, and N = |v′ − v|.
 *   - N is off by the error of v′, by u N and by LENGTH.
 *   - LOAD_KEPT · B − N rounds twice.
 *   - The quotient adds 5 u.
 */
import { LEAST_REST_SPEED, LOAD_KEPT, MOST_LOAD, REST_LOAD, SATURATED } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import {
  type Accuracy,
  type Approximate,
  type ApproximateNumber,
  across,
  differenceOf,
  type EffectSums,
  inner,
  LOST,
  length,
  scaled,
} from './bound-sums';

export interface Settled {
  readonly push: Approximate;
  readonly change: Approximate;
  readonly bearing: ApproximateNumber;
}

export function settleSums(substep: Substep, accuracy: Accuracy, sums: EffectSums): Settled {
  const push = sums.push.total();
  const { change, kept } = limitChange(substep, accuracy, sums);
  const support = shortened(sums.support.total(), kept);
  const { value, error } = shortened(sums.bearing.total(), kept);
  const bearing: ApproximateNumber = { value: value[0] as number, error };
  const held = holdSlip(substep, accuracy, sums, change, support);
  return {
    push: differenceOf(push, held, substep.dt),
    change: differenceOf(change, held),
    bearing,
  };
}

interface Limited {
  readonly kept: ApproximateNumber;
  /** The error of the change, once it is multiplied by `kept`. */
  readonly error: number;
}

function limitChange(
  { kickSpeed, calmSpeed }: Substep,
  accuracy: Accuracy,
  { change: sum, closing, depth, strain }: EffectSums,
): { readonly change: Approximate; readonly kept: ApproximateNumber } {
  const change = sum.total();
  const limits = [
    limitBy(accuracy, change, closing, kickSpeed, depth),
    limitBy(accuracy, change, { value: closing.value / 2, error: closing.error / 2 }, calmSpeed, strain),
  ].filter((limit) => limit !== undefined);
  const [first] = limits;
  if (!first) return { change, kept: { value: 1, error: 0 } };
  const value = Math.min(...limits.map(({ kept }) => kept.value));
  const kept = { value, error: Math.max(...limits.map((limit) => limit.kept.error)) };
  const sideways = limits.length > 1 ? (value + kept.error) * change.error : 0;
  const error = Math.max(...limits.map((limit) => limit.error)) + sideways;
  return { change: { value: scaled(value, change.value), error }, kept };
}

/** Returns undefined if the limit does not act, whatever the errors are. */
function limitBy(
  accuracy: Accuracy,
  change: Approximate,
  closing: ApproximateNumber,
  speed: number,
  beyond: ApproximateNumber,
): Limited | undefined {
  const limit = Math.max(closing.value, speed);
  const limitError = closing.error;
  const limited = limitedAt(beyond.value);
  const leastLimited = limitedAt(beyond.value - beyond.error - U);
  const mostLimited = limitedAt(beyond.value + beyond.error + U);
  const size = length(change.value);
  const isShort = size * (1 + accuracy.length) + change.error <= limit - limitError;
  // A change of exactly 0 is not shortened.
  if (isShort || mostLimited === 0 || size + change.error === 0) return undefined;
  const nearest = size - change.error;
  const most = limit + limitError;
  const shrinking = nearest > most ? most / nearest : 1;
  const least = Math.min(1, Math.max(0, limit - limitError) / (size + change.error));
  const full = size > limit ? limit / size : 1;
  const kept = 1 - limited * (1 - full);
  const greatestKept = 1 - leastLimited * (1 - shrinking);
  const leastKept = 1 - mostLimited * (1 - least);
  const rounding =
    mostLimited * (accuracy.length + 6 * U) * shrinking + U * (1 - leastLimited) + U * greatestKept;
  const doubt = Math.max(mostLimited - limited, limited - leastLimited);
  const reach = Math.max(0, size + change.error - Math.max(0, limit - limitError));
  return {
    kept: { value: kept, error: Math.max(greatestKept - kept, kept - leastKept) + rounding },
    error:
      greatestKept * change.error +
      mostLimited * limitError +
      doubt * reach +
      (rounding + U * greatestKept) * size +
      LOST,
  };
}

/** Returns the share of the limit that acts. */
function limitedAt(beyond: number): number {
  return Math.min(1, Math.max(0, beyond - 1));
}

/** Multiplies a sum by `kept`. The product rounds once, unless the factor is 1. */
function shortened(sum: Approximate, kept: ApproximateNumber): Approximate {
  if (kept.error === 0) return sum;
  if (sum.error === Infinity) return { value: scaled(kept.value, sum.value), error: Infinity };
  const size = length(sum.value);
  const most = kept.value + kept.error;
  return {
    value: scaled(kept.value, sum.value),
    error: most * sum.error + size * kept.error + U * most * (size + sum.error) + LOST,
  };
}

/** Returns the part of the slip by gravity that static friction takes away. */
function holdSlip(
  { gravity, dt, friction }: Substep,
  accuracy: Accuracy,
  { lift: liftSum }: EffectSums,
  change: Approximate,
  support: Approximate,
): Approximate {
  const gain = scaled(dt, gravity);
  const none = scaled(0, gain);
  const size = length(support.value);
  const { value: lifts, error: liftError } = liftSum.total();
  const lift = lifts[0] as number;
  const doubt = liftError + (gain.length + 2) * U * liftSum.magnitude;
  if (lift >= doubt || friction === 0) return { value: none, error: 0 };
  const roundings = acrossError(accuracy, gain.length);
  const most =
    Math.min(length(gain), friction * (size + support.error)) * (1 + 2 * accuracy.length + 8 * U + roundings);
  // Sums round, so `lift` may be below 0 although the support is exactly 0.
  if (lift >= 0 || size === 0) return { value: none, error: most };
  const held = heldSlip(friction, accuracy, gain, support, change);
  const isSettled = lift + doubt < 0;
  const error = Math.min(held.error, length(held.value) + most);
  return { value: held.value, error: isSettled ? error : Math.max(error, length(held.value)) };
}

/** Returns the error of `across`, relative to the vector's length. */
function acrossError(accuracy: Accuracy, dimensions: number): number {
  return 2 * (accuracy.length + 5 * U) + (dimensions + 4) * U;
}

/** `support` must not be 0. */
function heldSlip(
  friction: number,
  accuracy: Accuracy,
  gain: readonly number[],
  support: Approximate,
  change: Approximate,
): Approximate {
  const size = length(support.value);
  const up = scaled(1 / size, support.value);
  const turn = Math.min(1, support.error / size) + acrossError(accuracy, gain.length);
  const slip = across(gain, up);
  const slipSize = length(slip);
  const slipError = length(gain) * turn;
  const used = length(across(change.value, up));
  const usedError = change.error + length(change.value) * turn;
  const room = friction * size - used;
  const roomError =
    friction * support.error +
    usedError +
    friction * size * (accuracy.length + 2 * U) +
    used * (accuracy.length + U) +
    LOST;
  if (room + roomError <= 0) return { value: scaled(0, gain), error: 0 };
  const kept = Math.min(slipSize, Math.max(0, room));
  const keepsAll = room - roomError >= slipSize + slipError;
  const keptError = slipError + (keepsAll ? 0 : roomError) + LOST;
  return {
    value: slipSize > 0 ? scaled(kept / slipSize, slip) : scaled(0, gain),
    error: keptError + (accuracy.length + 6 * U) * kept,
  };
}

/** Multiplies the velocity by `movingShare`. `settled` is the result of settleSums. */
export function slowDown(
  { inverseDt, calmSpeed }: Substep,
  accuracy: Accuracy,
  { push, change }: Pick<Settled, 'push' | 'change'>,
  strain: ApproximateNumber,
  velocity: Approximate,
): void {
  const { value, error } = velocity;
  const dimensions = value.length;
  const speed = length(value);
  const beyond = strain.value - SATURATED;
  const mostLimited = limitedAt(beyond + strain.error + U);
  if (mostLimited === 0 || speed + error === 0) return;
  const limited = limitedAt(beyond);
  const doubt = Math.max(mostLimited - limited, limited - limitedAt(beyond - strain.error - U));
  const excess = differenceOf({ value: scaled(inverseDt, push.value), error: 0 }, change).value;
  const sizes = inverseDt * length(push.value) + length(change.value);
  const excessError = inverseDt * push.error + change.error + (3 + dimensions) * U * sizes;
  const ahead = scaled(speed > 0 ? 1 / speed : 0, value);
  const back = -inner(excess, ahead);
  const least = speed - error;
  const turn = least > 0 ? Math.min(2, error / least) : 2;
  const turning = turn * (length(across(excess, ahead)) + turn * length(excess));
  if (back + excessError + turning <= 0) return;
  const taken = Math.min(speed, calmSpeed, Math.max(0, back));
  const left = 1 - (speed > 0 ? (limited * taken) / speed : 0);
  const takenError = excessError + turning + ((dimensions + 7) * U + accuracy.length) * taken;
  const off = error + mostLimited * takenError + doubt * (taken + takenError);
  velocity.error = Math.min(off, (1 + left) * speed + error) + 2 * U * (speed + error) + LOST;
  velocity.value.splice(0, dimensions, ...scaled(left, value));
}

export function boundLoad(
  { restSpeed }: Substep,
  accuracy: Accuracy,
  { velocity, bearing }: { readonly velocity: Approximate; readonly bearing: ApproximateNumber },
  before: readonly number[],
): ApproximateNumber {
  if (!(restSpeed > LEAST_REST_SPEED)) return { value: 0, error: 0 };
  const net = length(velocity.value.map((along, axis) => along - (before[axis] as number)));
  const kept = LOAD_KEPT * bearing.value;
  const rest = kept - net;
  const restError =
    bearing.error + U * kept + velocity.error + net * (accuracy.length + U) + U * Math.abs(rest) + LOST;
  const spare = Math.max(0, rest);
  const error = Math.max(spare - Math.max(0, rest - restError), Math.max(0, rest + restError) - spare);
  return {
    value: Math.min(MOST_LOAD, (REST_LOAD * spare) / restSpeed),
    // Loads are at most MOST_LOAD. The error of the bearing may be infinite.
    error: Math.min(MOST_LOAD, (REST_LOAD * (error + 5 * U * spare)) / restSpeed),
  };
}
