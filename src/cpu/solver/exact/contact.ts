/**
 * The contact law of exact simulations (core/exact/law.ts) over pairs of particles, in bounded and periodic worlds, in
 * 2D and 3D. The pairs may include some that do not overlap. All sums are whole numbers below 2⁵³, so the order of the
 * pairs does not matter.
 */
import { BOUNCE_PUSH, DEEP, PARTING, SPREADING, STRAIN } from '../../../core/base/constants';
import {
  dot,
  FRACTION_ROUNDER,
  factorOf,
  lengthOf,
  ONE,
  ROUNDER,
  round,
  scale,
  share,
} from '../../../core/exact/integers';
import {
  depthOf,
  directionOf,
  excessOf,
  freePush,
  MOST_LOADED,
  pushChange,
  strainOf,
} from '../../../core/exact/law';
import type { ExactSubstep } from '../../../core/exact/substep';
import type { ParticleState, SlotPairs } from '../../shared/kernels';
import type { Response } from '../contact';

/** Factors of the law, rounded by factorOf. */
const HALF_BOUNCE_PUSH = factorOf(BOUNCE_PUSH / 2);
const HALF_SPREADING = factorOf(SPREADING / 2);

/**
 * Centres that differ by less than this along every axis are measured on a finer scale, so that rounding does not turn
 * the normal.
 */
const FEW_QUANTA = 2 ** 10;

/** If the squared distance of two centres is at least this, they differ by FEW_QUANTA or more along some axis. */
const NEAR_SQUARED = 3 * FEW_QUANTA * FEW_QUANTA;

export const NO_OVERLAP = -1;

/** For a whole number n < 2⁴⁰, the whole number nearest to √n − ALMOST_HALF is √n rounded down. */
const ALMOST_HALF = 0.5 - 2 ** -25;

/** The normal of the last overlap found, from the second body to the first, in units of 1 / ONE. */
export const exactNormal = new Float64Array(3);

/** Results of calls in loops. */
const scratch = new Float64Array(3);

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
  const root = Math.sqrt(x * x + y * y + z * z);
  const overlap = diameter - Math.floor(greatest < FEW_QUANTA ? root / FEW_QUANTA : root);
  if (overlap <= 0) return NO_OVERLAP;
  // A length that is rounded down would make normals too long, and bounces would gain energy.
  const distance = round(root);
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

/** A minimum image shorter than the diameter is unique, because periods are at least three diameters long. */
function minimumImage(difference: number, period: number): number {
  if (2 * difference > period) return difference - period;
  return 2 * difference < -period ? difference + period : difference;
}

/**
 * Compares two positions by their last axis, then by the one before. Returns a negative number if the first is lower, 0
 * if they are equal.
 */
function compareExactly(quanta: Int32Array, dimensions: number, one: number, other: number): number {
  for (let axis = dimensions - 1; axis >= 0; axis--) {
    const difference =
      (quanta[dimensions * one + axis] as number) - (quanta[dimensions * other + axis] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Returns whether `one` has the lower position or, at the same position, the lower id. This decides between partners
 * that approach equally fast, whatever the order of the particles.
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
  const { quanta, rates } = state;
  const { approaches } = response;
  const is3D = dimensions === 3;
  const { diameter, period } = substep.quanta;
  const wraps = period.some((along) => along > 0);
  const limit = diameter * diameter;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    if (!wraps) {
      // Many pairs of a list (../held-pairs.ts) do not overlap.
      const x = (quanta[atA] as number) - (quanta[atB] as number);
      const y = (quanta[atA + 1] as number) - (quanta[atB + 1] as number);
      const z = is3D ? (quanta[atA + 2] as number) - (quanta[atB + 2] as number) : 0;
      if (x * x + y * y + z * z >= limit) continue;
    }
    if (meetParticles(substep, dimensions, state, a, b) === NO_OVERLAP) continue;
    const approach = approachOf(rates, dimensions, a, b);
    if (approach <= (approaches[a] as number)) chooseFaster(state, dimensions, response, approach, a, b);
    if (approach <= (approaches[b] as number)) chooseFaster(state, dimensions, response, approach, b, a);
  }
}

/**
 * Makes `other` the partner of `one`, unless its present partner approaches equally fast and precedes `other`. The
 * caller ensures that approach ≤ approaches[one].
 */
function chooseFaster(
  state: ParticleState,
  dimensions: number,
  { approaches, partners }: Response,
  approach: number,
  one: number,
  other: number,
): void {
  const partner = partners[one] as number;
  // Without a partner, `approaches` holds −restSpeed. So a tie means an approach at the rest speed, too slow to bounce.
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

/**
 * Adds the effects of contacts to `response`. The loop contains all code that most contacts need, and rounds without a
 * call: V8 then keeps all numbers in registers. Rare results go through `scratch`, because the result of a call would
 * be an object in memory.
 */
export function respondExactly(
  { words, length, lattice: { dimensions } }: SlotPairs,
  state: ParticleState,
  response: Response,
  substep: ExactSubstep,
): void {
  const { quanta, rates } = state;
  const is3D = dimensions === 3;
  const { pushes, changes, supports, closings, depths, strains, partners } = response;
  const { dt, halfRelaxation, pushRate, mostOverlap, friction, gripShare } = substep;
  const { restitution, halfRebound, pushSpeed, restSpeed, damping } = substep;
  const { diameter, period } = substep.quanta;
  const periodX = period[0] as number;
  const periodY = period[1] as number;
  const periodZ = is3D ? (period[2] as number) : 0;
  const wraps = periodX + periodY + periodZ > 0;
  const limit = diameter * diameter;
  const shallow = diameter / DEEP;
  const unstrained = pushSpeed / STRAIN;
  const slow = Math.min(substep.kickSpeed, 2 * substep.calmSpeed);
  const bouncing = restitution > 0;
  const gripSquared = gripShare * gripShare;
  const halfParting = PARTING / 2;
  const mostLoaded = MOST_LOADED;
  const spreading = HALF_SPREADING;
  const whole = ROUNDER;
  const part = FRACTION_ROUNDER;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    let x = (quanta[atA] as number) - (quanta[atB] as number);
    let y = (quanta[atA + 1] as number) - (quanta[atB + 1] as number);
    let z = is3D ? (quanta[atA + 2] as number) - (quanta[atB + 2] as number) : 0;
    if (wraps) {
      x = minimumImage(x, periodX);
      y = minimumImage(y, periodY);
      z = minimumImage(z, periodZ);
    }
    const squared = x * x + y * y + z * z;
    if (squared >= limit) continue;
    const root = Math.sqrt(squared);
    const distance = root + whole - whole;
    // This rounds the root down.
    let overlap = diameter - (root - ALMOST_HALF + whole - whole);
    let normalX = x / distance + part - part;
    let normalY = y / distance + part - part;
    let normalZ = is3D ? z / distance + part - part : 0;
    if (squared < NEAR_SQUARED) {
      scratch[0] = meetParticles(substep, dimensions, state, a, b);
      overlap = scratch[0];
      normalX = (exactNormal[0] as number) * (1 / ONE);
      normalY = (exactNormal[1] as number) * (1 / ONE);
      normalZ = (exactNormal[2] as number) * (1 / ONE);
    }
    const relativeX = (rates[atA] as number) - (rates[atB] as number);
    const relativeY = (rates[atA + 1] as number) - (rates[atB + 1] as number);
    const relativeZ = is3D ? (rates[atA + 2] as number) - (rates[atB + 2] as number) : 0;
    const approach = relativeX * normalX + relativeY * normalY + relativeZ * normalZ + whole - whole;
    // The half keeps V8 from converting this to an integer and back. It can only make more contacts call pushChange.
    const speed = Math.abs(approach) + 0.5;
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const pushVelocity = (overlap < mostOverlap ? overlap : mostOverlap) * pushRate + whole - whole;
    let change = pushVelocity;
    if (bounces) change = -approach * halfRebound + whole - whole;
    else if (pushVelocity > pushSpeed - halfParting * speed) {
      scratch[0] = pushChange(pushVelocity, approach, Math.trunc(approach / 2), substep);
      change = scratch[0];
    } else if (speed > restSpeed + 0.5) change = pushVelocity * damping + whole - whole;
    const supportX = change * normalX + whole - whole;
    const supportY = change * normalY + whole - whole;
    const supportZ = change * normalZ + whole - whole;
    let brakingX = 0;
    let brakingY = 0;
    let brakingZ = 0;
    const mostGrip = (change < mostLoaded ? change : mostLoaded) * friction + whole - whole;
    // If mostGrip is 0, the braking is 0.
    if (mostGrip > 0) {
      const slidingX = relativeX - (approach * normalX + whole - whole);
      const slidingY = relativeY - (approach * normalY + whole - whole);
      const slidingZ = relativeZ - (approach * normalZ + whole - whole);
      const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
      brakingX = slidingX * gripShare + whole - whole;
      brakingY = slidingY * gripShare + whole - whole;
      brakingZ = slidingZ * gripShare + whole - whole;
      // If this is false, friction is strong enough: limitBraking, which compares lengths rounded down, would agree.
      if (gripSquared * slidingSquared > mostGrip * mostGrip) {
        limitBraking(slidingX, slidingY, slidingZ, mostGrip, gripShare);
        brakingX = scratch[0] as number;
        brakingY = scratch[1] as number;
        brakingZ = scratch[2] as number;
      }
    }
    const changeX = supportX - brakingX;
    const changeY = supportY - brakingY;
    const changeZ = supportZ - brakingZ;
    if (!bounces) {
      supports[atA] = (supports[atA] as number) + supportX;
      supports[atA + 1] = (supports[atA + 1] as number) + supportY;
      supports[atB] = (supports[atB] as number) - supportX;
      supports[atB + 1] = (supports[atB + 1] as number) - supportY;
      if (is3D) {
        supports[atA + 2] = (supports[atA + 2] as number) + supportZ;
        supports[atB + 2] = (supports[atB + 2] as number) - supportZ;
      }
    }
    if (overlap > shallow) {
      scratch[0] = depthOf(overlap, substep);
      depths[a] = Math.max(depths[a] as number, scratch[0]);
      depths[b] = Math.max(depths[b] as number, scratch[0]);
    }
    if (change > unstrained && !bounces) {
      scratch[0] = strainOf(excessOf(change, Math.trunc(approach / 2)), substep);
      strains[a] = Math.max(strains[a] as number, scratch[0]);
      strains[b] = Math.max(strains[b] as number, scratch[0]);
    }
    let closing = -approach * spreading + whole - whole;
    if (bounces) {
      scratch[0] = lengthOf(changeX, changeY, changeZ);
      closing = scratch[0];
    }
    if (closing > slow) {
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
    // ../general-contact.ts explains this condition.
    if (!bounces && change === pushVelocity) continue;
    const moved = change * dt + whole - whole;
    const push = overlap * (bounces ? HALF_BOUNCE_PUSH : halfRelaxation) + whole - whole;
    scratch[0] = bounces ? push - moved : freePush(push, moved, Math.floor(overlap / 2));
    const extra = scratch[0];
    const kept = bounces ? dt : 0;
    const extraX = extra * normalX + whole - whole + (brakingX * kept + whole - whole);
    const extraY = extra * normalY + whole - whole + (brakingY * kept + whole - whole);
    pushes[atA] = (pushes[atA] as number) + extraX;
    pushes[atA + 1] = (pushes[atA + 1] as number) + extraY;
    pushes[atB] = (pushes[atB] as number) - extraX;
    pushes[atB + 1] = (pushes[atB + 1] as number) - extraY;
    if (!is3D) continue;
    const extraZ = extra * normalZ + whole - whole + (brakingZ * kept + whole - whole);
    pushes[atA + 2] = (pushes[atA + 2] as number) + extraZ;
    pushes[atB + 2] = (pushes[atB + 2] as number) - extraZ;
  }
}

/** Sets `scratch` to the velocity that friction removes from a sliding velocity. */
function limitBraking(x: number, y: number, z: number, mostGrip: number, gripShare: number): void {
  const sliding = lengthOf(x, y, z);
  const isStrong = mostGrip >= scale(sliding, gripShare);
  scratch[0] = isStrong ? scale(x, gripShare) : share(mostGrip, directionOf(x, sliding));
  scratch[1] = isStrong ? scale(y, gripShare) : share(mostGrip, directionOf(y, sliding));
  scratch[2] = isStrong ? scale(z, gripShare) : share(mostGrip, directionOf(z, sliding));
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
