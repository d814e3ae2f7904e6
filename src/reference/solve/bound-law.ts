/**
 * The contact law (src/core/contact/law.ts) in exact arithmetic, and the errors of the GPU and the reference. bound.ts
 * explains the terms. bound-contact.ts derives the errors of the inputs: the push p, the approach `a`, the sliding
 * velocity s, the mass share m and the restitution e. The settings are f (friction) and g (gripShare).
 *
 * Change c of the normal velocity: a contact that does not bounce has c = min(p / dt, most) · kept. Minimum and
 * maximum do not enlarge errors. So c is off by ± max(error of p / dt, error of `most`), and by four roundings. `most`
 * is off by the error of `m a`, or by PARTING times that if the bodies may part. `kept` is off by the error of e, and
 * jumps by e at `|a|` = restSpeed. If the error of `a` leaves open whether `|a|` is above restSpeed, the jump is added.
 * A bounce has `c = m (1 + e) |a|`, with the errors of `m a` and e, and three roundings. An obstacle that stops the
 * particle does the same.
 *
 * Push `min(p + (F − 1) (p − dt c), m · overlap)` with F = FREE_PUSH: the first term is off by F (error of p) + (F − 1)
 * dt (error of c). A product, a difference and a sum round once each, and none of their results is above F p. If errors
 * cannot lift it to the second term, the error of that does not count.
 *
 * Comparisons of `a`, and of e with 0, decide whether two particles bounce. In a bounce, the push, the mass share and the change are
 * different; there is no friction on the position, no support and no bearing. If errors may change the decision for
 * either particle, the contact is not settled. Then the error of each result is the larger of two:
 *   - its error with the decision of exact arithmetic
 *   - its error with the other decision, plus the distance between the two outcomes
 *
 * Friction G = min(f c, g |s|) s / |s| is the projection of g s onto the ball of radius f c. So G is off by at most g ·
 * (error of s) + f · (error of c), however small s is. The roundings of G, relative to |G|:
 *   - f c or g |s|: u
 *   - |s|, once in the minimum and once in the denominator: k / 2 u + 9 u each
 *   - a quotient: 5 u
 *   - a product: u
 * Their sum is (k + 25) u |G|; the code allows (k + 26) u |G|. If |s| < 2⁻⁶³ √k, |s|² may be flushed to 0: ± g 2⁻⁶².
 *
 * Support c n: off by the error of c, by NORMAL, and by one product. Let y be the direction of gravity. The support's
 * component along y is off by |n·y| · (error of c), and by c (NORMAL + u) times the sum of |nᵢ yᵢ|. If the errors of n
 * are not relative to each component, 1 replaces this sum. Bearing c: off by the error of c.
 * Closing `−SPREADING m a`: off by SPREADING times the error of `m a`, and by u. That of a bounce is the length of its
 * change, off by the error of the change and by the error of a length. A particle's closing is the largest closing of its contacts, at least 0.
 * It lies between the largest lower end and the largest upper end of their ranges. A contact that GPU or reference may
 * leave out has no lower end. The deepest overlap is the largest in the same way; as a share of a diameter, an overlap
 * is off by 5 u more.
 *
 * Walls: a wall adds its change and its friction in the same way, with g = 1. The errors of position and velocity
 * before the wall take the place of those of the contact. Clamping enlarges no error. The change also adds to the
 * bearing, with one rounding.
 *   - Without a bounce, the normal velocity v becomes min(v + depth / dt, 0). The error of depth / dt adds to that of
 *     v.
 *   - A bounce turns v into −e v, which is off by no more than v, as e ≤ 1, and by |v| times the error of e.
 *   - Friction leaves s minus the projection of s onto a ball. This rest is off by the error of s plus f · (error of
 *     c). So the error of the velocity before the wall counts once.
 *
 * Variable radii: SHARE and one more product add to the errors of `m |a|` and 2 m · gripShare · |s|. The limit of a
 * position at a wall includes the radius; GPU and reference round this sum alike.
 *
 * Obstacles: m is 1, which rounds nothing. If the contact neither bounces nor stops the particle, the push is min(1,
 * relaxation (1 + load / 16)) times the overlap; its factor rounds twice, and the product once. pushSpeed is as for m = ½. The velocity of an obstacle is 0,
 * so r is v without error. Friction acts on v − gravity · dt instead of r. The product is off by u |gravity · dt|, and
 * the difference rounds once, as that in r does. So s is off by u |gravity · dt| more.
 * An obstacle stops the particle if e = 0, `a < −restSpeed`, the overlap is below −STOP_SUBSTEPS · dt · a, and
 * `P·n > a / 2`. The product with `a` rounds once. P, the change by other particles, is off by the error of its sum, P·n
 * by that and by |P| (NORMAL + (k + 1) u). If errors may change the decision, or if GPU or reference may leave the
 * contact out, the error of each result is the larger of two, as for bounces.
 */
import { BOUNCE_PUSH, FREE_PUSH, PARTING, SPREADING, STOP_SUBSTEPS } from '../../core/base/constants';
import { obstacleRelaxation } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { ExactContact } from './bound-contact';
import {
  type Accuracy,
  type Approximate,
  type ApproximateNumber,
  across,
  type EffectSums,
  either,
  inner,
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

const NOTHING: Approximate = { value: [], error: 0 };

/** How a contact acts. Only obstacles stop particles. */
type Kind = 'spring' | 'stop' | 'bounce';

export const TERMS = ['push', 'change', 'support', 'lift', 'bearing'] as const;

export interface Outcome {
  readonly kind: Kind;
  readonly push: Term;
  readonly change: Term;
  readonly support: Term;
  readonly lift: Term;
  readonly bearing: Term;
  readonly closing: ApproximateNumber;
}

function pushAmount(
  { halfRelaxation }: Substep,
  { overlap, overlapError, part, unloadedPart, loadOnObstacle }: ExactContact,
  kind: Kind,
  countsLoads = true,
): ApproximateNumber {
  const isSpring = kind === 'spring';
  if (loadOnObstacle !== undefined && countsLoads && isSpring) {
    const relaxation = obstacleRelaxation(2 * halfRelaxation, loadOnObstacle);
    return { value: relaxation * overlap, error: relaxation * (overlapError + 3 * U * overlap) };
  }
  const { share, error } = countsLoads && isSpring ? part : unloadedPart;
  const factor = 2 * share * (isSpring ? halfRelaxation : BOUNCE_PUSH / 2);
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

function alongNormal({ normal, accuracy }: ExactContact, { value, error }: ApproximateNumber): Term {
  return {
    value: scaled(value, normal),
    error: error + value * (accuracy.normal + U),
    magnitude: value,
  };
}

/** Returns the component along gravity of a number times the normal. */
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
  return alongNormal(contact, pushAmount(substep, contact, 'spring', false));
}

/** Returns the change of the normal velocity, without the error of the normal. */
function changeAmount(
  { inverseDt, restSpeed, pushSpeed }: Substep,
  { approach, approachError, part, unloadedPart, restitution }: ExactContact,
  push: ApproximateNumber,
  kind: Kind,
): ApproximateNumber {
  const { share, grip, error: partError } = kind === 'bounce' ? unloadedPart : part;
  const shareError = share * (approachError + partError * Math.abs(approach));
  if (kind !== 'spring') {
    return {
      value: Math.max(0, -(1 + restitution.value) * share * approach),
      error:
        (1 + restitution.value) * (shareError + 3 * U * share * Math.abs(approach)) +
        restitution.error * share * (Math.abs(approach) + approachError),
    };
  }
  const most = 2 * grip * pushSpeed;
  const ending = -share * approach;
  const limit = approach > 0 ? Math.max(0, most + PARTING * ending) : Math.max(most, ending);
  const limitError = Math.max(shareError, partError * most);
  const mayPart = approach + approachError > 0;
  const full = Math.min(push.value * inverseDt, limit);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution.value : 1;
  const mayKeepLess = restitution.value + restitution.error > 0;
  const isKeptSettled = !mayKeepLess || Math.abs(Math.abs(approach) - restSpeed) > approachError;
  return {
    value: full * kept,
    error:
      Math.max(push.error * inverseDt, mayPart ? partError * most + PARTING * shareError : limitError) +
      4 * U * full +
      restitution.error * full +
      (isKeptSettled ? 0 : restitution.value * full),
  };
}

function outcomeOf(substep: Substep, contact: ExactContact, kind: Kind): Outcome {
  const bounces = kind === 'bounce';
  const { accuracy, approach, approachError, loadOnObstacle, relative } = contact;
  const { dt, friction, gravity } = substep;
  const { share, error: partError } = bounces ? contact.unloadedPart : contact.part;
  const own = pushAmount(substep, contact, kind);
  const amount = changeAmount(substep, contact, own, kind);
  const push = kind === 'spring' ? freedPush(substep, contact, own, amount) : own;
  const gain = scaled(loadOnObstacle === undefined ? 0 : dt, gravity);
  const slide = relative.map((along, axis) => along - (gain[axis] as number));
  const sliding = across(slide, contact.normal);
  const slidingSpeed = length(sliding);
  const slidingError = length(slide) * accuracy.sliding + U * length(gain);
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
    kind,
    push: brake(alongNormal(contact, push), bounces ? 0 : dt, gripError + 2 * U * grip),
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
  };
}

function withoutBound(outcome: Outcome): Outcome {
  const free = (term: Term): Term => ({ ...term, error: Number.POSITIVE_INFINITY });
  return {
    kind: outcome.kind,
    push: free(outcome.push),
    change: free(outcome.change),
    support: free(outcome.support),
    lift: free(outcome.lift),
    bearing: free(outcome.bearing),
    closing: outcome.closing,
  };
}

/**
 * Returns how the contact acts if it does not bounce: what exact arithmetic decides, then what errors may decide.
 * `pressed`: the change of the particle's velocity by other particles.
 */
function restingKinds({ dt, restSpeed }: Substep, contact: ExactContact, pressed: Approximate): Kind[] {
  const { approach, approachError, overlap, overlapError, loadOnObstacle, normal, accuracy, restitution } =
    contact;
  if (loadOnObstacle === undefined) return ['spring'];
  const size = length(pressed.value);
  const pressure = inner(pressed.value, normal);
  const relative = contact.hasNoBound ? 2 : accuracy.normal + (normal.length + 1) * U;
  const pressureError = pressed.error + size * relative;
  const excess = pressure - approach / 2;
  const reach = STOP_SUBSTEPS * dt;
  // An obstacle stops the particle if all of these are above 0.
  const margins: ApproximateNumber[] = [
    { value: -restSpeed - approach, error: approachError },
    {
      value: -reach * approach - overlap,
      error: reach * (approachError + U * (Math.abs(approach) + approachError) + LOST) + overlapError,
    },
    { value: excess, error: pressureError + approachError / 2 + U * Math.abs(excess) },
  ];
  const isStop = restitution.value === 0 && margins.every(({ value }) => value > 0);
  // A borderline contact may have no effect, and a spring that hardly overlaps has hardly any.
  const isSettled =
    !contact.isBorderline &&
    (isStop
      ? restitution.error === 0 && margins.every(({ value, error }) => value > error)
      : restitution.value > restitution.error || margins.some(({ value, error }) => value <= -error));
  const kinds: Kind[] = isStop ? ['stop', 'spring'] : ['spring', 'stop'];
  return isSettled ? kinds.slice(0, 1) : kinds;
}

/** `others` are the outcomes that errors may decide instead. */
export function outcomesOf(
  substep: Substep,
  contact: ExactContact,
  { isBounce, isSettled }: Verdict,
  pressed: Approximate,
): { decided: Outcome; others: Outcome[] } {
  const resting = restingKinds(substep, contact, pressed);
  const kinds: Kind[] = isSettled
    ? isBounce
      ? ['bounce']
      : resting
    : isBounce
      ? ['bounce', ...resting]
      : [...resting, 'bounce'];
  const [decided, ...others] = kinds.map((kind) => outcomeOf(substep, contact, kind)) as [
    Outcome,
    ...Outcome[],
  ];
  return { decided: contact.hasNoBound ? withoutBound(decided) : decided, others };
}

/** Returns a term whose error covers all outcomes. */
function termOf(decided: Outcome, others: readonly Outcome[], name: (typeof TERMS)[number]): Term {
  return others.reduce((term, other) => either(term, other[name]), decided[name]);
}

export function addContact(
  substep: Substep,
  contact: ExactContact,
  verdict: Verdict,
  sums: EffectSums,
): void {
  const { decided, others } = outcomesOf(substep, contact, verdict, NOTHING);
  for (const name of TERMS) sums[name].add(termOf(decided, others, name));
  addClosing(contact, decided, others, sums);
  addDepth(contact, sums);
}

export function addClosing(
  { isBorderline }: ExactContact,
  decided: Outcome,
  others: readonly Outcome[],
  { closing }: EffectSums,
): void {
  const { value, error } = decided.closing;
  const otherErrors = others.map((other) => other.closing.error + Math.abs(other.closing.value - value));
  closing.add(value, Math.max(error, ...otherErrors), !isBorderline);
}

export function addDepth(
  { overlap, overlapError, size, isBorderline }: ExactContact,
  { deepest }: EffectSums,
): void {
  deepest.add(overlap / size, (overlapError + 5 * U * overlap) / size, !isBorderline);
}

export interface Body {
  readonly position: Approximate;
  readonly velocity: Approximate;
  /** The sum of the normal changes of contacts that do not bounce, and of walls. */
  readonly bearing: ApproximateNumber;
}

export function meetWalls(
  substep: Substep,
  restitution: ApproximateNumber,
  box: Box,
  accuracy: Accuracy,
  body: Body,
): void {
  for (let axis = 0; axis < body.position.value.length; axis++) {
    meetWall(substep, restitution, accuracy, body, axis, box.lower[axis] as number, 1);
    meetWall(substep, restitution, accuracy, body, axis, box.upper[axis] as number, -1);
  }
}

function meetWall(
  substep: Substep,
  restitution: ApproximateNumber,
  accuracy: Accuracy,
  { position, velocity, bearing: sum }: Body,
  axis: number,
  limit: number,
  inward: 1 | -1,
): void {
  const { friction, restSpeed, dt, inverseDt } = substep;
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
  const { value: part } = restitution;
  const bouncing = (1 + part) * Math.max(0, -approach);
  const partError = restitution.error * (Math.abs(approach) + approachError);
  const bouncingError = (1 + part) * (approachError + 2 * U * Math.abs(approach)) + partError;
  const mayBounce = part + restitution.error > 0 && approach - approachError < -restSpeed;
  const mustBounce =
    mayBounce && part > restitution.error && depth > depthError && approach + approachError < -restSpeed;
  const bounces = part > 0 && !isInside && approach < -restSpeed;
  const change = bounces ? bouncing : bearing;
  const changeError = mustBounce
    ? bouncingError
    : mayBounce
      ? Math.max(bearingError, bouncingError) + bouncing
      : bearingError;
  const sliding = velocity.value.map((along, other) => (other === axis ? 0 : along));
  const slidingSpeed = length(sliding);
  const grip = Math.min(friction * change, slidingSpeed);
  // `changeError` may be infinite.
  const frictionError = friction > 0 ? friction * changeError : 0;
  const gripError = velocity.error + LOST + frictionError + accuracy.friction * grip;
  const braking = slidingSpeed > 0 ? scaled(grip / slidingSpeed, sliding) : sliding;
  const depthSpeedError = depthError * inverseDt;
  const normalError =
    (mustBounce ? 0 : depthSpeedError) +
    (mayBounce ? partError : 0) +
    (mayBounce && !mustBounce ? bouncing : 0);
  velocity.error +=
    normalError +
    LOST +
    frictionError +
    accuracy.friction * grip +
    2 * U * (length(velocity.value) + grip + change);
  const frictionTime = bounces ? 0 : dt;
  if (!mustBounce) position.error += dt * (gripError + 2 * U * grip);
  if (!mustBounce && mayBounce) position.error += dt * (grip + gripError);
  position.error += U * (length(position.value) + frictionTime * grip);
  for (let other = 0; other < sliding.length; other++) {
    velocity.value[other] = (velocity.value[other] as number) - (braking[other] as number);
    position.value[other] = (position.value[other] as number) - frictionTime * (braking[other] as number);
  }
  velocity.value[axis] = (velocity.value[axis] as number) + inward * change;
  sum.value += change;
  sum.error += changeError + U * sum.value;
}
