/**
 * The contact law of exact simulations (core/exact/law.ts) over pairs of particles, in any box, in 2D and 3D. The pairs
 * may include some that do not overlap. All sums are whole numbers below 2⁵³, so their order does not matter.
 */
import { BOUNCE_PUSH, DEEP, SPREADING } from '../../../core/base/constants';
import { dot, factorOf, lengthOf, ONE, round, scale, share } from '../../../core/exact/integers';
import { directionOf, freePush, grip, pushChange } from '../../../core/exact/law';
import type { ExactSubstep } from '../../../core/exact/substep';
import type { ParticleState, SlotPairs } from '../../shared/kernels';
import type { Response } from '../contact';

/** Factors of the law, rounded like all others. */
const HALF_BOUNCE_PUSH = factorOf(BOUNCE_PUSH / 2);
const HALF_SPREADING = factorOf(SPREADING / 2);

/** Centres nearer than this are measured on a finer scale, so that rounding does not turn the normal. */
const FEW_QUANTA = 2 ** 10;

export const NO_OVERLAP = -1;

/** The normal of the last overlap found, from the second body to the first, as fractions of ONE. */
export const exactNormal = new Float64Array(3);

/**
 * Returns the overlap of body a with body b of `others` in quanta and sets `exactNormal`, or returns NO_OVERLAP. If
 * their centres coincide, `tie` chooses the axis of the normal, and `isLower` its sign.
 */
export function meetExactly(
  { quanta: { diameter, period } }: ExactSubstep,
  dimensions: number,
  positions: Int32Array,
  a: number,
  others: Int32Array,
  b: number,
  isLower: boolean,
  tie: number,
): number {
  const is3D = dimensions === 3;
  let x = (positions[dimensions * a] as number) - (others[dimensions * b] as number);
  let y = (positions[dimensions * a + 1] as number) - (others[dimensions * b + 1] as number);
  let z = is3D ? (positions[dimensions * a + 2] as number) - (others[dimensions * b + 2] as number) : 0;
  if (Math.abs(x) >= diameter) x = minimumImage(x, period[0] as number);
  if (Math.abs(y) >= diameter) y = minimumImage(y, period[1] as number);
  if (Math.abs(z) >= diameter) z = minimumImage(z, period[2] as number);
  const greatest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (greatest >= diameter) return NO_OVERLAP;
  if (greatest === 0) {
    exactNormal.fill(0);
    exactNormal[tie % dimensions] = isLower ? -ONE : ONE;
    return diameter;
  }
  if (greatest < FEW_QUANTA) {
    x *= FEW_QUANTA;
    y *= FEW_QUANTA;
    z *= FEW_QUANTA;
  }
  const distance = Math.floor(Math.sqrt(x * x + y * y + z * z));
  const overlap = diameter - (greatest < FEW_QUANTA ? Math.floor(distance / FEW_QUANTA) : distance);
  if (overlap <= 0) return NO_OVERLAP;
  exactNormal[0] = round((x * ONE) / distance);
  exactNormal[1] = round((y * ONE) / distance);
  exactNormal[2] = is3D ? round((z * ONE) / distance) : 0;
  return overlap;
}

/** Like meetExactly, for two particles. */
export function meetParticles(
  substep: ExactSubstep,
  dimensions: number,
  { quanta, ids }: Pick<ParticleState, 'quanta' | 'ids'>,
  a: number,
  b: number,
): number {
  const idA = ids[a] as number;
  const idB = ids[b] as number;
  return meetExactly(substep, dimensions, quanta, a, quanta, b, idA < idB, idA + idB);
}

/** In a world of at least three diameters, a minimum image is shorter than the diameter only if it is unique. */
function minimumImage(difference: number, period: number): number {
  if (2 * difference > period) return difference - period;
  return 2 * difference < -period ? difference + period : difference;
}

/**
 * Compares two positions by their last axis, then by the one before. Returns a negative number if the first is lower, 0
 * if they are equal.
 */
export function compareExactly(quanta: Int32Array, dimensions: number, one: number, other: number): number {
  for (let axis = dimensions - 1; axis >= 0; axis--) {
    const difference =
      (quanta[dimensions * one + axis] as number) - (quanta[dimensions * other + axis] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Among contacts that approach equally fast, the partner is the one with the lower position, then the one with the lower
 * id. This does not depend on the order of the particles.
 */
function precedes({ quanta, ids }: ParticleState, dimensions: number, one: number, other: number): boolean {
  const difference = compareExactly(quanta, dimensions, one, other);
  return difference === 0 ? (ids[one] as number) < (ids[other] as number) : difference < 0;
}

export function findExactPartners(
  { words, length, lattice: { dimensions } }: SlotPairs,
  state: ParticleState,
  response: Response,
  substep: ExactSubstep,
): void {
  const { rates } = state;
  const { approaches } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const overlap = meetParticles(substep, dimensions, state, a, b);
    if (overlap === NO_OVERLAP) continue;
    const approach = approachOf(rates, dimensions, a, b);
    if (approach <= (approaches[a] as number)) chooseFaster(state, dimensions, response, approach, a, b);
    if (approach <= (approaches[b] as number)) chooseFaster(state, dimensions, response, approach, b, a);
  }
}

/** Makes `other` the partner of `one`, which it approaches at least as fast as its partner so far. */
function chooseFaster(
  state: ParticleState,
  dimensions: number,
  { approaches, partners }: Response,
  approach: number,
  one: number,
  other: number,
): void {
  const partner = partners[one] as number;
  // A contact as slow as the rest speed is no partner.
  const isTie = approach === approaches[one];
  if (isTie && (partner < 0 || !precedes(state, dimensions, other, partner))) return;
  approaches[one] = approach;
  partners[one] = other;
}

function approachOf(rates: Int32Array, dimensions: number, a: number, b: number): number {
  const atA = dimensions * a;
  const atB = dimensions * b;
  return dot(
    (rates[atA] as number) - (rates[atB] as number),
    (rates[atA + 1] as number) - (rates[atB + 1] as number),
    dimensions === 3 ? (rates[atA + 2] as number) - (rates[atB + 2] as number) : 0,
    exactNormal[0] as number,
    exactNormal[1] as number,
    exactNormal[2] as number,
  );
}

export function respondExactly(
  { words, length, lattice: { dimensions } }: SlotPairs,
  state: ParticleState,
  response: Response,
  substep: ExactSubstep,
): void {
  const { quanta, rates } = state;
  const is3D = dimensions === 3;
  const { pushes, changes, supports, bearings, closings, deepest, partners } = response;
  const { dt, halfRelaxation, pushRate, mostOverlap, friction, gripShare, kickSpeed } = substep;
  const { restitution, halfRebound } = substep;
  const { diameter, period } = substep.quanta;
  const limit = diameter * diameter;
  const shallow = diameter / DEEP;
  const wraps = period.some((along) => along > 0);
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    if (!wraps) {
      // Most pairs in a held list are too far apart.
      const alongX = (quanta[atA] as number) - (quanta[atB] as number);
      const alongY = (quanta[atA + 1] as number) - (quanta[atB + 1] as number);
      const alongZ = is3D ? (quanta[atA + 2] as number) - (quanta[atB + 2] as number) : 0;
      if (alongX * alongX + alongY * alongY + alongZ * alongZ >= limit) continue;
    }
    const overlap = meetParticles(substep, dimensions, state, a, b);
    if (overlap === NO_OVERLAP) continue;
    const x = exactNormal[0] as number;
    const y = exactNormal[1] as number;
    const z = exactNormal[2] as number;
    const relativeX = (rates[atA] as number) - (rates[atB] as number);
    const relativeY = (rates[atA + 1] as number) - (rates[atB + 1] as number);
    const relativeZ = is3D ? (rates[atA + 2] as number) - (rates[atB + 2] as number) : 0;
    const approach = dot(relativeX, relativeY, relativeZ, x, y, z);
    const halfApproach = Math.trunc(approach / 2);
    const bounces = restitution > 0 && partners[a] === b && partners[b] === a;
    const push = scale(overlap, bounces ? HALF_BOUNCE_PUSH : halfRelaxation);
    const pushVelocity = scale(Math.min(overlap, mostOverlap), pushRate);
    const change = bounces
      ? scale(-approach, halfRebound)
      : pushChange(pushVelocity, approach, halfApproach, substep);
    const slidingX = relativeX - share(approach, x);
    const slidingY = relativeY - share(approach, y);
    const slidingZ = is3D ? relativeZ - share(approach, z) : 0;
    const sliding = lengthOf(slidingX, slidingY, slidingZ);
    const gripped = scale(sliding, gripShare);
    const mostGrip = grip(change, friction);
    let brakingX = 0;
    let brakingY = 0;
    let brakingZ = 0;
    if (mostGrip >= gripped) {
      brakingX = scale(slidingX, gripShare);
      brakingY = scale(slidingY, gripShare);
      brakingZ = scale(slidingZ, gripShare);
    } else if (mostGrip > 0) {
      brakingX = share(mostGrip, directionOf(slidingX, sliding));
      brakingY = share(mostGrip, directionOf(slidingY, sliding));
      brakingZ = is3D ? share(mostGrip, directionOf(slidingZ, sliding)) : 0;
    }
    const normalX = share(change, x);
    const normalY = share(change, y);
    const normalZ = is3D ? share(change, z) : 0;
    if (!bounces) {
      supports[atA] = (supports[atA] as number) + normalX;
      supports[atA + 1] = (supports[atA + 1] as number) + normalY;
      supports[atB] = (supports[atB] as number) - normalX;
      supports[atB + 1] = (supports[atB + 1] as number) - normalY;
      if (is3D) {
        supports[atA + 2] = (supports[atA + 2] as number) + normalZ;
        supports[atB + 2] = (supports[atB + 2] as number) - normalZ;
      }
      bearings[a] = (bearings[a] as number) + change;
      bearings[b] = (bearings[b] as number) + change;
    }
    if (overlap > shallow) {
      deepest[a] = Math.max(deepest[a] as number, overlap);
      deepest[b] = Math.max(deepest[b] as number, overlap);
    }
    const changeX = normalX - brakingX;
    const changeY = normalY - brakingY;
    const changeZ = normalZ - brakingZ;
    const closing = bounces ? lengthOf(changeX, changeY, changeZ) : scale(-approach, HALF_SPREADING);
    if (closing > kickSpeed) {
      closings[a] = Math.max(closings[a] as number, closing);
      closings[b] = Math.max(closings[b] as number, closing);
    }
    changes[atA] = (changes[atA] as number) + changeX;
    changes[atA + 1] = (changes[atA + 1] as number) + changeY;
    changes[atB] = (changes[atB] as number) - changeX;
    changes[atB + 1] = (changes[atB + 1] as number) - changeY;
    if (is3D) {
      changes[atA + 2] = (changes[atA + 2] as number) + changeZ;
      changes[atB + 2] = (changes[atB + 2] as number) - changeZ;
    }
    // general-contact.ts explains this condition.
    if (!bounces && change === pushVelocity) continue;
    const moved = scale(change, dt);
    const extra = bounces ? push - moved : freePush(push, moved, Math.floor(overlap / 2));
    const kept = bounces ? dt : 0;
    const extraX = share(extra, x) + scale(brakingX, kept);
    const extraY = share(extra, y) + scale(brakingY, kept);
    pushes[atA] = (pushes[atA] as number) + extraX;
    pushes[atA + 1] = (pushes[atA + 1] as number) + extraY;
    pushes[atB] = (pushes[atB] as number) - extraX;
    pushes[atB + 1] = (pushes[atB + 1] as number) - extraY;
    if (!is3D) continue;
    const extraZ = share(extra, z) + scale(brakingZ, kept);
    pushes[atA + 2] = (pushes[atA + 2] as number) + extraZ;
    pushes[atB + 2] = (pushes[atB + 2] as number) - extraZ;
  }
}

/** Adds the pushes of `separate`. */
export function pushApartExactly(
  { words, length, lattice: { dimensions } }: SlotPairs,
  state: ParticleState,
  { pushes }: Response,
  substep: ExactSubstep,
): void {
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const overlap = meetParticles(substep, dimensions, state, a, b);
    if (overlap === NO_OVERLAP) continue;
    const push = scale(overlap, substep.halfRelaxation);
    for (let axis = 0; axis < dimensions; axis++) {
      const along = share(push, exactNormal[axis] as number);
      pushes[dimensions * a + axis] = (pushes[dimensions * a + axis] as number) + along;
      pushes[dimensions * b + axis] = (pushes[dimensions * b + axis] as number) - along;
    }
  }
}
