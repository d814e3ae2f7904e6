/**
 * The contact law (src/core/contact/law.ts) in exact arithmetic, and the errors of the GPU and the reference. bound.ts
 * explains the terms. bound-contact.ts derives the errors of the inputs: the overlap δ, the push p, the approach `a`,
 * the sliding velocity s, the mass share m and the restitution e. The settings are f (friction) and g (gripShare).
 *
 * Change c of the normal velocity. Without a bounce, c = 2 m h with h = min(w δ / dt, most) · kept:
 *   - h: off by ± max(w / dt · error of δ, error of `most`), because a minimum enlarges no error, and by four
 *     roundings.
 *   - most: off by half the error of `a`. If the bodies may part: by `parting` times that, and by u · pushSpeed.
 *   - kept: off by the error of e. At `|a|` = restSpeed, it jumps by e. If errors may decide whether `|a|` is above
 *     restSpeed, the jump is added.
 *   - c: adds the error of m.
 * In a bounce, `c = m (1 + e) |a|`, with the errors of `m a` and e, and three roundings.
 *
 * Push `min(p + (F − 1) (p − dt c), m · overlap)` with F = FREE_PUSH: the first term is off by F (error of p) + (F − 1)
 * dt (error of c), and by three roundings of results up to F p. If errors cannot lift the first term to the second, the
 * error of the second does not count.
 *
 * Push aside, the vector b σ p t with p for m = ½ and a direction t (`turned` in law.ts), takes three products:
 *   - b = max(0, depth − ASIDE_FROM): off by the error of the depth, and by u times the depth
 *   - σ (`side`) = |waves − floor(waves) − ½| − ¼, with waves = ASIDE_WAVES · DEEP / diameter · (sum of all
 *     coordinates): off by the error of `waves` (wavesOf in bound-contact.ts) and by 2 u, at most by ½. σ has no jumps.
 *   - t: as long as n, in 3D up to √3 times, and so is its error. In 3D, a difference adds u.
 *
 * Comparisons of `a`, and of e with 0, decide whether two particles bounce. If errors may change the decision for
 * either particle, the contact is not settled. Then the error of each result is the larger of two:
 *   - its error with the decision of exact arithmetic
 *   - its error with the other decision, plus the distance between the two outcomes
 *
 * Friction G = min(f c, g |s|) s / |s| is the projection of g s onto the ball of radius f c. So G is off by at most g ·
 * (error of s) + f · (error of c), however small s is. The roundings of G, relative to |G|:
 *   - |s|, once in the minimum and once in the denominator: (k / 2) u + 9 u each
 *   - f c or g |s|, a quotient and a product: u, 5 u and u
 * Their sum is (k + 25) u |G|; the code allows (k + 26) u |G|. If |s| < 2⁻⁶³ √k, |s|² may be flushed to 0: ± g 2⁻⁶².
 *
 * Support c n: off by the error of c, by NORMAL (bound-contact.ts), and by one product. Let y be the direction of
 * gravity. The support's component along y is off by |n·y| · (error of c) + c (NORMAL + u) Σ |nᵢ yᵢ|. If the errors of
 * n are not relative to each component, 1 replaces the sum. Bearing c: off by the error of c.
 *
 * Closing, depth and strain of a particle are the largest of its contacts, at least 0. Each lies between the largest
 * lower end and the largest upper end of the contacts' ranges. A contact that GPU or reference may leave out has no
 * lower end. For one contact, the errors are:
 *   - closing without a bounce, `−SPREADING m a`: SPREADING times the error of `m a`, and u
 *   - closing in a bounce, the length of the change: the error of the change, and that of a length
 *   - depth: the error of the overlap, a quotient (5 u) and a product
 *   - strain: the errors of h and `a / 2`, the rounding of their sum, and a product, two sums and a quotient (8 u)
 *
 * Walls: the errors of position and velocity before the wall take the place of those of the contact. Clamping enlarges
 * no error. The change also adds to the bearing, with one rounding.
 *   - Without a bounce, the normal velocity v becomes min(v + depth / dt, 0): off by the errors of v and of depth / dt.
 *   - A bounce turns v into −e v. As e ≤ 1, this is off by at most the error of v, and by |v| times the error of e.
 *
 * Friction of obstacles and walls: g = 1, and c is the sum of all their changes.
 *   - It leaves s minus the projection of s onto a ball. This rest is off by the error of s plus f · (error of c). So
 *     the error of the velocity before the walls counts once.
 *   - If errors may decide whether a wall or an obstacle presses, they also decide whether s contains the velocity
 *     along its normal. Then the projection is off by that velocity, but by no more than twice the projection's length.
 *
 * Variable radii: SHARE and one more product add to the errors of `m |a|` and 2 m · gripShare · |s|. The limit of a
 * position at a wall includes the radius; GPU and reference round this sum alike.
 */
import { ASIDE_FROM, BOUNCE_PUSH, DEEP, FREE_PUSH, SPREADING } from '../../core/base/constants';
import { turned } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import { type ExactContact, HALF, type Part } from './bound-contact';
import {
  type Accuracy,
  type Approximate,
  type ApproximateNumber,
  across,
  type EffectSums,
  either,
  LOST,
  length,
  scaled,
  type Term,
} from './bound-sums';
import type { Box } from './contact-law';

/** `isSettled` is true if no error could change the decision. */
export interface Verdict {
  readonly isBounce: boolean;
  readonly isSettled: boolean;
}

export const SETTLED_NO: Verdict = { isBounce: false, isSettled: true };

const TERMS = ['push', 'aside', 'change', 'support', 'lift', 'bearing'] as const;
const LARGEST = ['closing', 'depth', 'strain'] as const;

interface Outcome {
  readonly push: Term;
  readonly aside: Term;
  readonly change: Term;
  readonly support: Term;
  readonly lift: Term;
  readonly bearing: Term;
  readonly closing: ApproximateNumber;
  readonly depth: ApproximateNumber;
  readonly strain: ApproximateNumber;
}

function pushAmount(
  { halfRelaxation }: Substep,
  { overlap, overlapError }: ExactContact,
  { share, error }: Part,
  bounces = false,
): ApproximateNumber {
  const factor = 2 * share * (bounces ? BOUNCE_PUSH / 2 : halfRelaxation);
  return {
    value: factor * overlap,
    error: factor * (overlapError + (U + error) * overlap),
  };
}

/** Enlarges the part of a push that gives no speed. */
function freedPush(
  { dt }: Substep,
  { overlap, overlapError, part }: ExactContact,
  spring: ApproximateNumber,
  change: ApproximateNumber,
): ApproximateNumber {
  const free = FREE_PUSH - 1;
  const value = spring.value + free * (spring.value - dt * change.value);
  const error = FREE_PUSH * spring.error + free * dt * change.error + 3 * FREE_PUSH * U * spring.value;
  const most = part.share * overlap;
  const mostError = part.share * (overlapError + (U + part.error) * overlap);
  if (value + error < most - mostError) return { value, error };
  return { value: Math.min(value, most), error: Math.max(error, mostError) };
}

function noTerm({ normal }: ExactContact): Term {
  return { value: normal.map(() => 0), error: 0, magnitude: 0 };
}

/** Returns `aside` (see the header) along t. */
function asideTerm(substep: Substep, contact: ExactContact): Term {
  const { waves, normal, accuracy } = contact;
  const spring = pushAmount(substep, contact, HALF);
  const depth = depthAmount(contact);
  if (!waves || depth.value + depth.error <= ASIDE_FROM) return noTerm(contact);
  const side = Math.abs(waves.value - Math.floor(waves.value) - 0.5) - 0.25;
  const sideError = Math.min(0.5, waves.error + 2 * U);
  const beyond = Math.max(0, depth.value - ASIDE_FROM);
  const value = beyond * spring.value;
  const most = (beyond + depth.error + U * depth.value) * (spring.value + spring.error);
  const error =
    most * (sideError + 3 * U) + Math.abs(side) * (most - value + value * (accuracy.normal + 2 * U));
  const reach = normal.length === 2 ? 1 : Math.sqrt(3);
  return { value: scaled(value * side, turned(normal)), error: reach * error, magnitude: reach * most };
}

function alongNormal({ normal, accuracy }: ExactContact, { value, error }: ApproximateNumber): Term {
  return {
    value: scaled(value, normal),
    error: error + value * (accuracy.normal + U),
    magnitude: value,
  };
}

/** Returns the component along gravity of `value` times the normal. */
function alongGravity(
  { gravity }: Substep,
  { normal, accuracy, isNormalRelative }: ExactContact,
  { value, error }: ApproximateNumber,
): Term {
  const acceleration = length(gravity);
  if (acceleration === 0) return { value: [0], error: 0, magnitude: 0 };
  const parts = normal.map((along, axis) => (along * (gravity[axis] as number)) / acceleration);
  const cosine = parts.reduce((sum, part) => sum + part, 0);
  const magnitude = parts.reduce((sum, part) => sum + Math.abs(part), 0);
  // 0 · ∞ is not a number.
  const own = cosine === 0 ? 0 : error * Math.abs(cosine);
  return {
    value: [value * cosine],
    error: own + value * (accuracy.normal + U) * (isNormalRelative ? magnitude : 1),
    magnitude: value * magnitude,
  };
}

export function pushTerm(substep: Substep, contact: ExactContact): Term {
  return alongNormal(contact, pushAmount(substep, contact, contact.unloadedPart));
}

/** Returns h (see the header). */
function halfAmount(
  { halfRelaxation, inverseDt, restSpeed, pushSpeed, parting }: Substep,
  { overlap, overlapError, approach, approachError, restitution }: ExactContact,
): ApproximateNumber {
  const ending = -approach / 2;
  const limit = approach > 0 ? Math.max(0, pushSpeed + parting * ending) : Math.max(pushSpeed, ending);
  const mayPart = approach + approachError > 0;
  const limitError = mayPart ? (parting * approachError) / 2 + U * pushSpeed : approachError / 2;
  const full = Math.min(halfRelaxation * overlap * inverseDt, limit);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution.value : 1;
  const mayKeepLess = restitution.value + restitution.error > 0;
  const isKeptSettled = !mayKeepLess || Math.abs(Math.abs(approach) - restSpeed) > approachError;
  return {
    value: full * kept,
    error:
      Math.max(halfRelaxation * overlapError * inverseDt, limitError) +
      4 * U * full +
      restitution.error * full +
      (isKeptSettled ? 0 : restitution.value * full),
  };
}

/** Returns the change of the normal velocity, without the error of the normal. */
function changeAmount(
  { approach, approachError, restitution }: ExactContact,
  { share, error: partError }: Part,
  half: ApproximateNumber,
  bounces: boolean,
): ApproximateNumber {
  if (!bounces) {
    return { value: 2 * share * half.value, error: 2 * share * (half.error + partError * half.value) };
  }
  const shareError = share * (approachError + partError * Math.abs(approach));
  return {
    value: Math.max(0, -(1 + restitution.value) * share * approach),
    error:
      (1 + restitution.value) * (shareError + 3 * U * share * Math.abs(approach)) +
      restitution.error * share * (Math.abs(approach) + approachError),
  };
}

function strainAmount(
  { strainRate }: Substep,
  { approach, approachError, borne }: ExactContact,
  half: ApproximateNumber,
  bounces: boolean,
): ApproximateNumber {
  if (bounces) return { value: 0, error: 0 };
  const rate = strainRate / (1 + borne);
  const excess = half.value + Math.min(0, approach / 2);
  const excessError = half.error + approachError / 2 + U * half.value;
  return { value: rate * excess, error: rate * (excessError + 8 * U * Math.abs(excess)) };
}

function depthAmount({ overlap, overlapError, size }: ExactContact): ApproximateNumber {
  const deep = DEEP / size;
  return { value: deep * overlap, error: deep * (overlapError + 6 * U * overlap) };
}

function outcomeOf(substep: Substep, contact: ExactContact, bounces: boolean): Outcome {
  const { accuracy, approach, approachError, relative, speed } = contact;
  const { dt, friction } = substep;
  const part = bounces ? contact.unloadedPart : contact.part;
  const { share, error: partError } = part;
  const own = pushAmount(substep, contact, part, bounces);
  const half = halfAmount(substep, contact);
  const amount = changeAmount(contact, part, half, bounces);
  const push = bounces ? own : freedPush(substep, contact, own, amount);
  const sliding = across(relative, contact.normal);
  const slidingSpeed = length(sliding);
  const slidingError = speed * accuracy.sliding;
  const gripShare = 2 * share * substep.gripShare;
  const grip = Math.min(friction * amount.value, gripShare * slidingSpeed);
  const gripError =
    gripShare * (slidingError + partError * slidingSpeed + LOST) +
    (friction > 0 ? friction * amount.error : 0) +
    accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding.map(() => 0);
  const brake = (term: Term, time: number, error: number): Term => ({
    value: term.value.map((along, axis) => along - time * (braking[axis] as number)),
    error: term.error + time * error + U * (term.magnitude + time * grip),
    magnitude: term.magnitude + time * grip,
  });
  const bearing = bounces ? { value: 0, error: 0 } : amount;
  const change = brake(alongNormal(contact, amount), 1, gripError);
  const size = length(change.value);
  return {
    push: brake(alongNormal(contact, push), bounces ? 0 : dt, gripError + 2 * U * grip),
    aside: bounces ? noTerm(contact) : asideTerm(substep, contact),
    change,
    support: alongNormal(contact, bearing),
    lift: alongGravity(substep, contact, bearing),
    bearing: { value: [bearing.value], error: bearing.error, magnitude: bearing.value },
    closing: bounces
      ? { value: size, error: change.error + accuracy.length * size + LOST }
      : {
          value: -SPREADING * share * approach,
          error: SPREADING * share * (approachError + (partError + U) * Math.abs(approach)),
        },
    depth: depthAmount(contact),
    strain: strainAmount(substep, contact, half, bounces),
  };
}

function withoutBound(outcome: Outcome): Outcome {
  const free = (term: Term): Term => ({ ...term, error: Number.POSITIVE_INFINITY });
  return {
    push: free(outcome.push),
    aside: free(outcome.aside),
    change: free(outcome.change),
    support: free(outcome.support),
    lift: free(outcome.lift),
    bearing: free(outcome.bearing),
    closing: outcome.closing,
    depth: outcome.depth,
    strain: outcome.strain,
  };
}

/** Returns a term whose error covers all outcomes. */
function termOf(decided: Outcome, others: readonly Outcome[], name: (typeof TERMS)[number]): Term {
  return others.reduce((term, other) => either(term, other[name]), decided[name]);
}

export function addContact(
  substep: Substep,
  contact: ExactContact,
  { isBounce, isSettled }: Verdict,
  sums: EffectSums,
): void {
  const outcome = outcomeOf(substep, contact, isBounce);
  const decided = contact.hasNoBound ? withoutBound(outcome) : outcome;
  const others = isSettled ? [] : [outcomeOf(substep, contact, !isBounce)];
  for (const name of TERMS) sums[name === 'aside' ? 'push' : name].add(termOf(decided, others, name));
  for (const name of LARGEST) {
    const { value, error } = decided[name];
    const otherErrors = others.map((other) => other[name].error + Math.abs(other[name].value - value));
    sums[name].add(value, Math.max(error, ...otherErrors), !contact.isBorderline);
  }
}

export interface Body {
  readonly position: Approximate;
  readonly velocity: Approximate;
}

export interface BounceOutcome {
  bounces: boolean;
  /** True if errors within their bounds may make the particle bounce. */
  mayBounce: boolean;
  /** True if the particle bounces whatever the errors are. */
  mustBounce: boolean;
}

/** How obstacles and walls press on a particle. */
export interface Pressing extends BounceOutcome {
  /** The sum of the normal changes. */
  readonly sum: ApproximateNumber;
  /** The velocity across the normals of all obstacles and walls that press. */
  sliding: number[];
  slidingError: number;
  /** How much `sliding` may change if errors decide whether obstacles or walls press. */
  doubt: number;
}

export function noPressing({ velocity }: Body): Pressing {
  return {
    sum: { value: 0, error: 0 },
    sliding: [...velocity.value],
    slidingError: velocity.error,
    doubt: 0,
    bounces: false,
    mayBounce: false,
    mustBounce: false,
  };
}

export function meetWalls(
  substep: Substep,
  restitution: ApproximateNumber,
  box: Box,
  body: Body,
  pressing: Pressing,
): void {
  for (let axis = 0; axis < body.position.value.length; axis++) {
    meetWall(substep, restitution, body, pressing, axis, box.lower[axis] as number, 1);
    meetWall(substep, restitution, body, pressing, axis, box.upper[axis] as number, -1);
  }
}

function meetWall(
  substep: Substep,
  restitution: ApproximateNumber,
  { position, velocity }: Body,
  pressing: Pressing,
  axis: number,
  limit: number,
  inward: 1 | -1,
): void {
  const depth = inward * (limit - (position.value[axis] as number));
  const depthError = position.error + U * Math.abs(depth);
  if (depth <= -depthError) return;
  if (depth > 0) position.value[axis] = limit;
  const speed = velocity.value[axis] as number;
  const approach = inward * speed;
  if (approach >= velocity.error) return;
  const wall = fixedChange(
    substep,
    restitution,
    { value: depth, error: depthError },
    { value: approach, error: velocity.error },
  );
  const { value: change, error: changeError, mayBounce, mustBounce } = wall;
  if (depth > 0 && approach < 0) pressing.sliding[axis] = 0;
  const isCertain = depth > depthError && approach < -velocity.error;
  if (!isCertain) pressing.doubt += Math.abs(speed) + velocity.error;
  // The error of the velocity counts only once: see "Walls" in the header.
  const bouncing = (1 + restitution.value) * Math.max(0, -approach);
  const normalError =
    (mustBounce ? 0 : depthError * substep.inverseDt) +
    (mayBounce ? errorOfPart(restitution, approach, velocity.error) : 0) +
    (mayBounce && !mustBounce ? bouncing : 0);
  velocity.error += normalError + U * (length(velocity.value) + 2 * change);
  velocity.value[axis] = speed + inward * change;
  press(pressing, wall, { value: change, error: changeError });
}

/** Adds the normal change `added`. The second argument says whether it is a bounce. */
export function press(
  pressing: Pressing,
  { bounces, mayBounce, mustBounce }: BounceOutcome,
  added: ApproximateNumber,
): void {
  const { sum } = pressing;
  sum.value += added.value;
  sum.error += added.error + U * sum.value;
  pressing.bounces ||= bounces;
  pressing.mayBounce ||= mayBounce;
  pressing.mustBounce ||= mustBounce;
}

/** Returns the effect of the restitution's error on a bounce. 0 · ∞ is not a number. */
export function errorOfPart({ error }: ApproximateNumber, approach: number, approachError: number): number {
  return error === 0 ? 0 : error * (Math.abs(approach) + approachError);
}

export interface FixedChange extends ApproximateNumber, BounceOutcome {}

/**
 * Returns the change of the normal velocity at a wall or an obstacle. `deepest` says whether the obstacle has the
 * deepest overlap: in exact arithmetic (`is`), for some errors within their bounds (`may`), for all of them (`must`).
 */
export function fixedChange(
  { restSpeed, inverseDt }: Substep,
  restitution: ApproximateNumber,
  { value: depth, error: depthError }: ApproximateNumber,
  { value: approach, error: approachError }: ApproximateNumber,
  deepest = { is: true, may: true, must: true },
): FixedChange {
  const isInside = depth <= 0;
  const inbound = isInside ? 0 : Math.max(0, -approach);
  const stopping = Math.min(Math.max(0, depth) * inverseDt, inbound);
  const stoppingError = Math.max(depthError * inverseDt, approachError) + 2 * U * stopping;
  const { value: part } = restitution;
  const bouncing = (1 + part) * Math.max(0, -approach);
  const partError = errorOfPart(restitution, approach, approachError);
  const bouncingError = (1 + part) * (approachError + 2 * U * Math.abs(approach)) + partError;
  // If the particle has restitution and approaches faster than restSpeed, only the deepest obstacle changes the speed.
  const mayBeFast = part + restitution.error > 0 && approach - approachError < -restSpeed;
  const mustBeFast =
    mayBeFast && part > restitution.error && depth > depthError && approach + approachError < -restSpeed;
  const isFast = part > 0 && !isInside && approach < -restSpeed;
  const mayBounce = mayBeFast && deepest.may;
  const mustBounce = mustBeFast && deepest.must;
  const bounces = isFast && deepest.is;
  const value = bounces ? bouncing : isFast ? 0 : stopping;
  const openError = Math.max(stoppingError, bouncingError) + bouncing;
  const fastError = mustBounce ? bouncingError : mustBeFast && !mayBounce ? 0 : openError;
  return {
    value,
    error: mayBeFast ? fastError : stoppingError,
    bounces,
    mayBounce,
    mustBounce,
  };
}

/** Applies the friction of all obstacles and walls. The error of the velocity already contains that of `sliding`. */
export function rub(
  { friction, dt }: Substep,
  accuracy: Accuracy,
  { position, velocity }: Body,
  { sum, sliding, slidingError, doubt, bounces, mayBounce, mustBounce }: Pressing,
): void {
  if (sum.value + sum.error === 0) return;
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * sum.value, slidingSpeed);
  // Friction never takes more than all of the sliding. The error of the changes may be infinite.
  const mostGrip = slidingSpeed + slidingError + doubt;
  const frictionError = friction > 0 ? Math.min(friction * sum.error, mostGrip) : 0;
  const gripError =
    LOST + frictionError + accuracy.friction * grip + Math.min(doubt, 2 * (grip + frictionError));
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding;
  velocity.error += gripError + U * (length(velocity.value) + 2 * grip);
  const frictionTime = bounces ? 0 : dt;
  const pushError = slidingError + gripError;
  if (!mustBounce) position.error += dt * (pushError + 2 * U * grip);
  if (!mustBounce && mayBounce) position.error += dt * (grip + pushError);
  position.error += U * (length(position.value) + frictionTime * grip);
  for (let axis = 0; axis < sliding.length; axis++) {
    velocity.value[axis] = (velocity.value[axis] as number) - (braking[axis] as number);
    position.value[axis] = (position.value[axis] as number) - frictionTime * (braking[axis] as number);
  }
}
