/**
 * The effect of obstacles on a particle in exact arithmetic, and the errors of GPU and reference. bound-contact.ts
 * derives the errors of each contact. In `meetObstacles`, they include the error of the particle's position.
 *
 * Pushes: their sum is multiplied by t = min(1, M / T), where M is the deepest overlap and T the sum of all overlaps.
 *   - M is off by the largest error of an overlap, T by the sum of these errors and by the roundings of the sum.
 *   - t lies between the values that these errors allow. A quotient (5 u) and a product (u) widen this range.
 *
 * Changes: let v be the velocity before obstacles, off by ε.
 *   a = v·n          off by ε and by |v| APPROACH
 *   c                the change by one obstacle: min(depth / dt, −a), (1 + e) |a| for a bounce, or 0 (see law.ts). If
 *                    errors may decide whether this obstacle is the deepest one or bounces the particle, c is also off
 *                    by (1 + e) |a|. If errors may decide whether another obstacle's bounce sets c to 0, c is also off
 *                    by |c|.
 *   O = Σ c n        off by the errors of c and n, and by the roundings of products and of the sum
 *   up = O / |O|     off by UP: twice the relative error of O, and LENGTH + 5 u. With a single contact, the error of c
 *                    does not turn `up`, so the error of n and 3 u replace the first term. UP is never above 2.
 *   A = v·up         off by ε and by |v| (UP + (k + 1) u)
 *   turn = Σ c / |O| off by both errors; with a single contact, by 20 u. If |O| may be 0, the error is infinite.
 *   C                min((greatest c) · turn, (1 + e) |A|), off by the error of either, whichever is larger
 *   s = v − A up     off by ε, the error of A, |A| UP, and three roundings
 * C · turn presses on the particle. bound-law.ts derives its friction, together with that of walls.
 */
import { BOUNCE_PUSH } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import { UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { ExactContact } from './bound-contact';
import {
  type Body,
  type BounceOutcome,
  errorOfPart,
  type FixedChange,
  fixedChange,
  type Pressing,
  press,
  pushTerm,
} from './bound-law';
import {
  type Accuracy,
  type ApproximateNumber,
  inner,
  Largest,
  length,
  Sum,
  scaled,
  sumOf,
  type Term,
} from './bound-sums';

/** Returns the push by all obstacles in a pass that only pushes apart. */
export function pushByObstacles(
  substep: Substep,
  dimensions: number,
  contacts: readonly ExactContact[],
): Term {
  return sharedPush(
    dimensions,
    contacts,
    contacts.map((contact) => pushTerm(substep, contact)),
  );
}

export function meetObstacles(
  substep: Substep,
  restitution: ApproximateNumber,
  contacts: readonly ExactContact[],
  accuracy: Accuracy,
  { position, velocity }: Body,
  pressing: Pressing,
): void {
  if (contacts.length === 0) return;
  const dimensions = velocity.value.length;
  const speed = length(velocity.value);
  const changes = new Sum(dimensions);
  const lengths = new Sum(1);
  const greatest = new Largest();
  const found = contacts.map((contact) => {
    const approach = inner(velocity.value, contact.normal);
    const approachError = velocity.error + speed * (contact.hasNoBound ? 2 : contact.accuracy.approach);
    const change = fixedChange(
      substep,
      restitution,
      { value: contact.overlap, error: contact.overlapError },
      { value: approach, error: approachError },
      deepestOf(contact, contacts),
    );
    return { contact, change };
  });
  const outcome = {
    bounces: found.some(({ change }) => change.bounces),
    mayBounce: found.some(({ change }) => change.mayBounce),
    mustBounce: found.some(({ contact, change }) => change.mustBounce && !contact.isBorderline),
  };
  for (const { contact, change } of found) {
    const { value, error } = countedChange(change, outcome);
    const normalError = contact.hasNoBound ? 2 : contact.accuracy.normal + U;
    changes.add({
      value: scaled(value, contact.normal),
      error: error + (value + error) * normalError,
      magnitude: value,
    });
    lengths.add({ value: [value], error, magnitude: value });
    greatest.add(value, error, !contact.isBorderline);
  }
  const push = sharedPush(
    dimensions,
    contacts,
    contacts.map(({ normal, overlap, overlapError, accuracy: own }) => ({
      value: scaled(BOUNCE_PUSH * overlap, normal),
      error: BOUNCE_PUSH * (overlapError + overlap * (own.normal + 2 * U)),
      magnitude: overlap,
    })),
  );
  const pushed = sumOf(position.value, push);
  position.value.splice(0, dimensions, ...pushed.value);
  position.error += pushed.error;

  const sum = changes.total();
  const size = length(sum.value);
  const only = contacts.length === 1 ? contacts[0] : undefined;
  // No error can make any obstacle change the velocity.
  if (size === 0 && sum.error === 0) return;
  const turned =
    only && !only.hasNoBound
      ? only.accuracy.normal + 3 * U
      : size > 0
        ? (2 * sum.error) / size
        : Number.POSITIVE_INFINITY;
  const upError = Math.min(2, turned + accuracy.length + 5 * U);
  const up = size > 0 ? scaled(1 / size, sum.value) : (only?.normal.slice() ?? sum.value);
  const approach = inner(velocity.value, up);
  const approachError = velocity.error + speed * (upError + (dimensions + 1) * U);
  const most = mostChange(restitution, approach, approachError, outcome);
  const added = lengths.total();
  const turn = only
    ? { value: 1, error: 20 * U }
    : quotient({ value: added.value[0] as number, error: added.error }, { value: size, error: sum.error });
  const needed = product(greatest, turn);
  const value = Math.min(needed.value, most.value);
  const greatestValue = Math.min(needed.value + needed.error, most.value + most.error);
  const leastValue = Math.max(0, Math.min(needed.value - needed.error, most.value - most.error));
  const error = Math.max(greatestValue - value, value - leastValue);
  const sliding = velocity.value.map((along, axis) => along - approach * (up[axis] as number));
  const slidingError =
    velocity.error + approachError + Math.abs(approach) * upError + 3 * U * (speed + Math.abs(approach));
  if (size > 0) pressing.sliding = sliding;
  pressing.slidingError = slidingError;
  if (!(size > sum.error)) pressing.doubt += Math.abs(approach) + approachError;
  press(pressing, outcome, product({ value, error }, turn));
  for (let axis = 0; axis < dimensions; axis++) {
    velocity.value[axis] = (velocity.value[axis] as number) + value * (up[axis] as number);
  }
  velocity.error +=
    slidingError + error + (value + error) * (upError + 2 * U) + U * (length(velocity.value) + value);
}

/** Returns the part of a change that counts: if an obstacle bounces the particle, only bounces count. */
function countedChange(
  change: FixedChange,
  { bounces, mayBounce, mustBounce }: BounceOutcome,
): ApproximateNumber {
  const { value, error } = change;
  if (change.bounces) return { value, error };
  if (!bounces) return { value, error: error + (mayBounce ? value : 0) };
  return { value: 0, error: mustBounce && !change.mayBounce ? 0 : value + error };
}

/** Returns whether an obstacle has the deepest overlap; see fixedChange. */
function deepestOf(own: ExactContact, contacts: readonly ExactContact[]) {
  let [is, may, must] = [true, true, !own.isBorderline];
  for (const other of contacts) {
    if (other === own) continue;
    is &&= other.overlap <= own.overlap;
    may &&= other.isBorderline || other.overlap - other.overlapError <= own.overlap + own.overlapError;
    must &&= other.overlap + other.overlapError < own.overlap - own.overlapError;
  }
  return { is, may, must };
}

/** Returns a / b for numbers of at least 0. Its error may be infinite. */
function quotient(a: ApproximateNumber, b: ApproximateNumber): ApproximateNumber {
  const value = b.value > 0 ? a.value / b.value : 0;
  const least = b.value - b.error;
  if (!(least > 0)) return { value, error: Number.POSITIVE_INFINITY };
  const most = (a.value + a.error) / least;
  const fewest = Math.max(0, a.value - a.error) / (b.value + b.error);
  return { value, error: Math.max(most - value, value - fewest) + 20 * U * most };
}

/** Returns a · b for numbers of at least 0. Its error may be infinite. */
function product(a: ApproximateNumber, b: ApproximateNumber): ApproximateNumber {
  const value = a.value * b.value;
  const mostA = a.value + a.error;
  // 0 · ∞ is not a number.
  const most = mostA === 0 ? 0 : mostA * (b.value + b.error);
  const least = Math.max(0, a.value - a.error) * Math.max(0, b.value - b.error);
  return { value, error: Math.max(most - value, value - least) + 4 * U * most };
}

/** Returns (1 + e) |A|, where e counts only if any obstacle bounces the particle. */
function mostChange(
  restitution: ApproximateNumber,
  approach: number,
  approachError: number,
  { bounces, mayBounce, mustBounce }: BounceOutcome,
): ApproximateNumber {
  const { value: part } = restitution;
  const full = Math.max(0, -approach);
  const factor = 1 + (bounces ? part : 0);
  const doubt = mayBounce ? errorOfPart(restitution, approach, approachError) : 0;
  const jump = mayBounce && !mustBounce ? part * (full + approachError) : 0;
  return {
    value: factor * full,
    error: (1 + part) * (approachError + 3 * U * full) + doubt + jump,
  };
}

/** Returns the sum of pushes, multiplied by obstacleShare. */
function sharedPush(dimensions: number, contacts: readonly ExactContact[], pushes: readonly Term[]): Term {
  const sum = new Sum(dimensions);
  const share = shareOf(contacts);
  for (const push of pushes) sum.add(weighted(push, share));
  return { ...sum.total(), magnitude: sum.magnitude };
}

function shareOf(contacts: readonly ExactContact[]): ApproximateNumber {
  // The share of a single obstacle is exactly 1.
  if (contacts.length <= 1) return { value: 1, error: 0 };
  const deepest = Math.max(...contacts.map(({ overlap }) => overlap));
  const greatestError = Math.max(...contacts.map(({ overlapError }) => overlapError));
  const overlaps = contacts.reduce((sum, { overlap }) => sum + overlap, 0);
  const off =
    contacts.reduce((sum, { overlapError }) => sum + overlapError, 0) + 2 * contacts.length * U * overlaps;
  const value = obstacleShare(deepest, overlaps);
  const least = obstacleShare(Math.max(0, deepest - greatestError), overlaps + off);
  const most = obstacleShare(deepest + greatestError, Math.max(0, overlaps - off));
  return { value, error: Math.max(value - least, most - value) + 6 * U };
}

function weighted({ value, error, magnitude }: Term, weight: ApproximateNumber): Term {
  return {
    value: scaled(weight.value, value),
    // 0 · ∞ is not a number.
    error:
      error === Number.POSITIVE_INFINITY
        ? error
        : weight.value * error + (weight.error + 2 * U) * (magnitude + error),
    magnitude: weight.value * magnitude,
  };
}
