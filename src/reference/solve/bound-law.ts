/**
 * The contact law (src/core/contact/law.ts) in exact arithmetic, and the errors that a GPU or the reference may make.
 * bound.ts explains the terms, bound-contact.ts derives the errors of the inputs.
 *
 * Change of normal velocity c. Contacts that do not bounce: min(p / dt, limit) · kept. Minimum and maximum pass errors
 * on but do not enlarge them, so ± max(p's error / dt, a's error / 2), and three roundings. `kept` jumps by the
 * restitution at |a| =
 * restSpeed; if a's error leaves open which side of it a is on, that jump is added. Bounces: ½ (1 + e) |a| with a's
 * error and three roundings. Comparisons of a decide whether two particles bounce. If errors may change the
 * decision for either particle, the contact is not settled, and the difference of both outcomes is added.
 *
 * Friction G = min(f c, g |s|) s / |s| is the projection of g s onto the ball of radius f c. It passes on g times the
 * error of s and f times that of c and no more, however small s is. Its own roundings: f c or g |s| (1 u), |s| twice (k
 * / 2 u + 9 u each, once in the minimum and once below the line), a quotient (5 u), a product (u): (k + 25) u |G|,
 * taken as (k + 26) u. |s|² may be flushed to 0 when |s| < 2⁻⁶³ √k: ± g 2⁻⁶².
 *
 * A wall that the particle meets adds its change and its friction in the same way (f c against the whole of s), with
 * the errors of the position and velocity before it. Clamping to the walls enlarges no error.
 *
 * Variable radii: s |a| in the limit and in the bounce, and 2 s times gripShare times |s|, are off by SHARE and one
 * product more. A wall is one radius from the corner of the box, a sum that both sides round alike.
 *
 * On an obstacle the particle does the work of both sides: twice the push with twice the error, since doubling rounds
 * nothing; the limit with the full approach; bounces (1 + e) |a|. The obstacle's velocity is 0, so r is v without any
 * error.
 * The obstacles' sum S, except for a bounce, is multiplied by a share s = min(1, M / T), with M the deepest overlap and
 * T the sum of all. s lies between its values for M off by the largest error and T off by the sum of the
 * errors (T's sum rounds too), with a quotient (5 u) and a product (u) more. The spread of s is multiplied by the sum
 * of magnitudes, which |S| does not exceed; then s S is added to the rest.
 */
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { ExactContact } from './bound-contact';
import { type Accuracy, type Approximate, length, Sum, scaled } from './bound-sums';
import type { Box } from './contact-law';

/** The greatest |s| that is lost if |s|² is flushed to 0. */
const LOST_SLIDING = 2 ** -62;

/** The decision whether a contact bounces. `isSettled` is true if no error could change it. */
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
  // 2 · grip · pushSpeed of the law: all of it on an obstacle.
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
  // If the bounce is not settled, either side may or may not stop the sliding motion.
  const held = isBounce ? 0 : dt * grip;
  const widestGrip = Math.min(friction * Math.max(bouncing, bearing), gripShare * slidingSpeed);
  const heldError =
    isBounce && isSettled
      ? 0
      : dt * (gripError + 2 * U * grip) +
        (isSettled ? 0 : dt * (widestGrip + accuracy.friction * widestGrip));
  push.add(
    normal.map((along, axis) => contact.push * along - (isBounce ? 0 : dt * (braking[axis] as number))),
    pushError(contact) + heldError + U * (contact.push + held),
    contact.push + held,
  );
}

export function pushError(contact: ExactContact): number {
  return contact.amountError + contact.push * (contact.accuracy.normal + U);
}

/** The sum of the obstacles' effects on one particle. Everything except a bounce is shared. */
export class Obstructions {
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

  /** The error if a change may or may not be a bounce, which is not shared: both changes with their friction, twice. */
  widest({ restitution, friction, pushSpeed }: Substep, { speed }: ExactContact): number {
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
    // A single obstacle has share 1 exactly.
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
  const soft = Math.min(Math.max(0, depth) * inverseDt, inbound);
  const softError = Math.max(depthError * inverseDt, approachError) + 2 * U * soft;
  const hard = (1 + restitution) * Math.max(0, -approach);
  const hardError = (1 + restitution) * (approachError + 2 * U * Math.abs(approach));
  const isHardPossible = restitution > 0 && approach - approachError < -restSpeed;
  const isHardCertain = isHardPossible && depth > depthError && approach + approachError < -restSpeed;
  const isHard = restitution > 0 && !isInside && approach < -restSpeed;
  const change = isHard ? hard : soft;
  const changeError = isHardCertain
    ? hardError
    : isHardPossible
      ? Math.max(softError, hardError) + hard
      : softError;
  const sliding = velocity.value.map((along, other) => (other === axis ? 0 : along));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * change, slidingSpeed);
  const gripError = velocity.error + LOST_SLIDING + friction * changeError + accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding;
  velocity.error += gripError + changeError + 2 * U * (length(velocity.value) + grip + change);
  // A particle that bounces keeps its sliding motion.
  const held = isHard ? 0 : dt;
  if (!isHardCertain) position.error += dt * (gripError + 2 * U * grip);
  if (!isHardCertain && isHardPossible) position.error += dt * (grip + gripError);
  position.error += U * (length(position.value) + held * grip);
  for (let other = 0; other < sliding.length; other++) {
    velocity.value[other] = (velocity.value[other] as number) - (braking[other] as number);
    position.value[other] = (position.value[other] as number) - held * (braking[other] as number);
  }
  velocity.value[axis] = (velocity.value[axis] as number) + inward * change;
}
