/**
 * The contact law (src/core/contact/law.ts) in exact arithmetic, and the errors that the GPU or the reference may make.
 * bound.ts explains the terms. bound-contact.ts derives the errors of the inputs: the push p, the approach a, the
 * sliding velocity s and the mass share. The settings are e (restitution), f (friction) and g (gripShare).
 *
 * Change c of the normal velocity: a contact that does not bounce has c = min(p / dt, limit) · kept. Minimum and
 * maximum do not enlarge errors, so c is off by ± max(error of p / dt, half the error of a), and by three roundings.
 * `kept` jumps by the restitution at |a| = restSpeed. If |a| may lie on either side of restSpeed because of its error,
 * the jump is added. A bounce has c = ½ (1 + e) |a|, with the error of a and three roundings. Comparisons of a decide
 * whether two particles bounce. If errors may change the decision for either particle, the contact is not settled, and
 * the difference of the two outcomes is added.
 *
 * Friction G = min(f c, g |s|) s / |s| is the projection of g s onto the ball of radius f c. So G is off by g times the
 * error of s plus f times the error of c, and no more, however small s is. The roundings of G are: f c or g |s| (1 u);
 * |s| twice, in the minimum and in the denominator (k / 2 u + 9 u each); a quotient (5 u); a product (u). Their sum, (k
 * + 25) u |G|, is taken as (k + 26) u |G|. If |s| < 2⁻⁶³ √k, |s|² may be flushed to 0: ± g 2⁻⁶².
 *
 * A wall adds its change and its friction in the same way (f c against the whole of s), with the errors of the position
 * and velocity before the wall. Clamping to the walls enlarges no error.
 *
 * Variable radii: let m be the mass share. m |a| in the limit and in the bounce, and 2 m · gripShare · |s|, are off by
 * SHARE and by one product more. The limit of a position at a wall includes the radius; GPU and reference round this
 * sum alike.
 *
 * Obstacles: the particle takes the effect on both bodies. The push and its error are doubled, which rounds nothing.
 * The limit contains the full approach, and a bounce has c = (1 + e) |a|. The velocity of an obstacle is 0, so r is v
 * without error.
 * Let S be the sum of the obstacles' effects except a bounce. S is multiplied by t = min(1, M / T), where M is the
 * deepest overlap and T the sum of all overlaps. M may be off by the largest error of an overlap, and T by the sum of
 * the errors and by the roundings of the sum. t lies between the values that these errors allow, with a quotient (5 u)
 * and a product (u) more. The error of t S is the width of this range times the sum of magnitudes, which is at least
 * |S|.
 */
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { ExactContact } from './bound-contact';
import { type Accuracy, type Approximate, length, Sum, scaled } from './bound-sums';
import type { Box } from './contact-law';

/** The greatest |s| that is lost by flushing |s|² to 0. */
const LOST_SLIDING = 2 ** -62;

/** The decision whether a contact bounces. `isSettled` means that no error could change it. */
export interface Verdict {
  readonly isBounce: boolean;
  readonly isSettled: boolean;
}

export const SETTLED_NO: Verdict = { isBounce: false, isSettled: true };

export function addContact(
  substep: Substep,
  contact: ExactContact,
  { isBounce, isSettled }: Verdict,
  push: Sum,
  change: Sum,
): void {
  const { accuracy } = contact;
  const { dt, inverseDt, restitution, friction, restSpeed, pushSpeed } = substep;
  const { approach, approachError, normal, relative, speed } = contact;
  const { share, gripShare, error: partError } = contact.part;
  const shareError = share * (approachError + partError * Math.abs(approach));
  // The law's 2 · grip · pushSpeed; at an obstacle all of pushSpeed.
  const most = (gripShare / substep.gripShare) * pushSpeed;
  const cap = approach > 0 ? most : Math.max(most, -approach * share);
  const full = Math.min(contact.push * inverseDt, cap);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  const isKeptSettled = restitution === 0 || Math.abs(Math.abs(approach) - restSpeed) > approachError;
  const bearing = full * kept;
  const bearingError =
    Math.max(contact.amountError * inverseDt, shareError, partError * most) +
    3 * U * full +
    (isKeptSettled ? 0 : restitution * full);
  const bouncing = Math.max(0, -(1 + restitution) * share * approach);
  const bouncingError = (1 + restitution) * (shareError + 3 * U * share * Math.abs(approach));
  const amount = isBounce ? bouncing : bearing;
  const amountError = isSettled
    ? isBounce
      ? bouncingError
      : bearingError
    : Math.max(bouncingError, bearingError) + Math.abs(bouncing - bearing);
  const sliding = relative.map((along, axis) => along - approach * (normal[axis] as number));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * amount, gripShare * slidingSpeed);
  const gripError =
    gripShare * (speed * accuracy.sliding + partError * slidingSpeed + LOST_SLIDING) +
    friction * amountError +
    accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding.map(() => 0);
  change.add(
    normal.map((along, axis) => amount * along - (braking[axis] as number)),
    amountError + amount * (accuracy.normal + U) + gripError + U * (amount + grip),
    amount + grip,
  );
  // If it is not settled whether the contact bounces, only one of GPU and reference may take back the sliding motion.
  const frictionPush = isBounce ? 0 : dt * grip;
  const greatestGrip = Math.min(friction * Math.max(bouncing, bearing), gripShare * slidingSpeed);
  const frictionPushError =
    isBounce && isSettled
      ? 0
      : dt * (gripError + 2 * U * grip) +
        (isSettled ? 0 : dt * (greatestGrip + accuracy.friction * greatestGrip));
  push.add(
    normal.map((along, axis) => contact.push * along - (isBounce ? 0 : dt * (braking[axis] as number))),
    pushError(contact) + frictionPushError + U * (contact.push + frictionPush),
    contact.push + frictionPush,
  );
}

export function pushError(contact: ExactContact): number {
  return contact.amountError + contact.push * (contact.accuracy.normal + U);
}

/** The sums of the obstacles' effects on one particle. All effects except a bounce are multiplied by obstacleShare. */
export class ObstacleSums {
  readonly push: Sum;
  readonly change: Sum;
  readonly bounce: Sum;
  private deepest = 0;
  private greatestError = 0;
  private overlaps = 0;
  private overlapsError = 0;

  constructor(dimensions: number) {
    this.push = new Sum(dimensions);
    this.change = new Sum(dimensions);
    this.bounce = new Sum(dimensions);
  }

  count({ overlap, overlapError }: ExactContact): void {
    this.deepest = Math.max(this.deepest, overlap);
    this.greatestError = Math.max(this.greatestError, overlapError);
    this.overlaps += overlap;
    this.overlapsError += overlapError;
  }

  /** Returns the error if it is not settled whether a contact bounces: both changes with their friction, twice. */
  undecidedError({ restitution, friction, pushSpeed }: Substep, { speed }: ExactContact): number {
    return 2 * (1 + friction) * ((1 + restitution) * speed + Math.max(pushSpeed, speed));
  }

  addTo(push: Sum, change: Sum): void {
    const { deepest, greatestError, overlaps } = this;
    const { terms } = this.push;
    if (terms === 0) return;
    const share = obstacleShare(deepest, overlaps);
    const off = this.overlapsError + 2 * terms * U * overlaps;
    const least = obstacleShare(Math.max(0, deepest - greatestError), overlaps + off);
    const most = obstacleShare(deepest + greatestError, Math.max(0, overlaps - off));
    // The share of a single obstacle is exactly 1.
    const doubt = terms === 1 ? 0 : Math.max(share - least, most - share) + 6 * U;
    for (const [sum, target] of [
      [this.push, push],
      [this.change, change],
    ] as const) {
      const growth = (sum.terms * U) / (1 - sum.terms * U);
      const error = sum.error + (growth + doubt + 2 * U) * sum.magnitude;
      target.add(scaled(share, sum.value), error, sum.magnitude);
    }
    const { value, error, magnitude } = this.bounce;
    if (this.bounce.terms > 0) change.add(value, error + U * this.bounce.terms * magnitude, magnitude);
  }
}

/** Position and velocity of one particle. */
interface Body {
  position: Approximate;
  velocity: Approximate;
}

export function meetWalls(substep: Substep, box: Box, accuracy: Accuracy, body: Body): void {
  for (let axis = 0; axis < body.position.value.length; axis++) {
    meetWall(substep, accuracy, body, axis, box.lower[axis] as number, 1);
    meetWall(substep, accuracy, body, axis, box.upper[axis] as number, -1);
  }
}

function meetWall(
  substep: Substep,
  accuracy: Accuracy,
  { position, velocity }: Body,
  axis: number,
  limit: number,
  inward: 1 | -1,
): void {
  const { restitution, friction, restSpeed, dt, inverseDt } = substep;
  const depth = inward * (limit - (position.value[axis] as number));
  const depthError = position.error + U * Math.abs(depth);
  if (depth <= -depthError) return;
  const isInside = depth <= 0;
  if (!isInside) position.value[axis] = limit;
  const approach = inward * (velocity.value[axis] as number);
  const approachError = velocity.error;
  if (approach >= approachError) return;
  const inbound = isInside ? 0 : Math.max(0, -approach);
  const bearing = Math.min(Math.max(0, depth) * inverseDt, inbound);
  const bearingError = Math.max(depthError * inverseDt, approachError) + 2 * U * bearing;
  const bouncing = (1 + restitution) * Math.max(0, -approach);
  const bouncingError = (1 + restitution) * (approachError + 2 * U * Math.abs(approach));
  const mayBounce = restitution > 0 && approach - approachError < -restSpeed;
  const mustBounce = mayBounce && depth > depthError && approach + approachError < -restSpeed;
  const bounces = restitution > 0 && !isInside && approach < -restSpeed;
  const change = bounces ? bouncing : bearing;
  const changeError = mustBounce
    ? bouncingError
    : mayBounce
      ? Math.max(bearingError, bouncingError) + bouncing
      : bearingError;
  const sliding = velocity.value.map((along, other) => (other === axis ? 0 : along));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * change, slidingSpeed);
  const gripError = velocity.error + LOST_SLIDING + friction * changeError + accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding;
  velocity.error += gripError + changeError + 2 * U * (length(velocity.value) + grip + change);
  // A bounce does not take back the sliding motion.
  const frictionTime = bounces ? 0 : dt;
  if (!mustBounce) position.error += dt * (gripError + 2 * U * grip);
  if (!mustBounce && mayBounce) position.error += dt * (grip + gripError);
  position.error += U * (length(position.value) + frictionTime * grip);
  for (let other = 0; other < sliding.length; other++) {
    velocity.value[other] = (velocity.value[other] as number) - (braking[other] as number);
    position.value[other] = (position.value[other] as number) - frictionTime * (braking[other] as number);
  }
  velocity.value[axis] = (velocity.value[axis] as number) + inward * change;
}
