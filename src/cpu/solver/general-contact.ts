/**
 * A pass of the contact law (core/contact/law.ts) in any world, for all sizes, in 2D and 3D:
 *   - `meet` and `meetShapes`: the geometry of one contact, in doubles. `meetShapes` is for bodies that may be boxes
 *     (core/particles/shapes.ts).
 *   - `findPartners`, `respond` and `pushApart`: the law for pairs of particles. In bounded and unbounded worlds,
 *     particles of one radius use the faster `findPartners` and `respond` of plane-contact.ts and space-contact.ts.
 * Guarantee: for particles of one radius, away from the ends of a periodic world, `findPartners` and `respond` give the
 * same bits as those files.
 */
import {
  ASIDE_FROM,
  BOUNCE_PUSH,
  COINCIDENT_SQUARED,
  DEEP,
  NOT_APART,
  SPREADING,
} from '../../core/base/constants';
import {
  bounceChange,
  excessOf,
  freePush,
  frictionShare,
  halfChange,
  massShare,
  restitutionOf,
} from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { type ContactKernels, coincidentNormal, pushAside, type Response } from './contact';

/** Returned instead of an overlap if two bodies do not overlap. */
export const NO_CONTACT = Number.NEGATIVE_INFINITY;

/** The unit normal of the last contact found, from slot b to slot a. */
export const normal = new Float64Array(3);

/** Scratch arrays of meetShapes, per axis: the difference of the centres; its excess over the sum of half extents. */
const apart = new Float64Array(3);
const beyond = new Float64Array(3);

/** Positions and sizes of bodies of which some may be boxes. */
export type PlacedShapes = Pick<ParticleState, 'positions' | 'radii' | 'halves'>;

/**
 * Returns the minimum image of a difference of coordinates along one axis. `period` is infinite if the axis does not
 * wrap.
 */
export function minimumImage(difference: number, period: number): number {
  const half = period / 2;
  return difference > half ? difference - period : difference < -half ? difference + period : difference;
}

/**
 * Sets `normal` for two particles, and returns their overlap, or NO_CONTACT. `diameter` is used if particles have no
 * sizes of their own.
 */
export function meet(lattice: Lattice, state: ParticleState, a: number, b: number, diameter: number): number {
  if (state.halves.length > 0) return meetShapes(lattice, state, a, b);
  const { radii } = state;
  const reach = radii.length > 0 ? (radii[a] as number) + (radii[b] as number) : diameter;
  const overlap = reach - meetBalls(lattice, state.positions, a, b);
  return overlap < 0 ? NO_CONTACT : overlap;
}

/** Sets `normal` for two balls and returns the distance of their centres. */
function meetBalls({ dimensions, periods }: Lattice, positions: Float32Array, a: number, b: number): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const direct =
      (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
    const along = minimumImage(direct, periods[axis] as number);
    normal[axis] = along;
    squared += along * along;
  }
  const isCoincident = squared < COINCIDENT_SQUARED;
  const distance = isCoincident ? 0 : Math.sqrt(squared);
  for (let axis = 0; axis < dimensions; axis++) {
    normal[axis] = isCoincident
      ? coincidentNormal(a, b, axis, dimensions)
      : (normal[axis] as number) / distance;
  }
  return distance;
}

/**
 * Returns the overlap of slots a and b along the shortest way out, or NO_CONTACT. Sets `normal` to the direction of
 * that way, from b to a. Slot a is a slot of `bodies`, slot b one of `others`.
 */
export function meetShapes(
  { dimensions, periods }: Lattice,
  bodies: PlacedShapes,
  a: number,
  b: number,
  others = bodies,
): number {
  const { positions, radii, halves } = bodies;
  const { positions: otherPositions, radii: otherRadii, halves: otherHalves } = others;
  const atA = dimensions * a;
  const atB = dimensions * b;
  const round =
    ((halves[atA] as number) > 0 ? 0 : (radii[a] as number)) +
    ((otherHalves[atB] as number) > 0 ? 0 : (otherRadii[b] as number));
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const direct = (positions[atA + axis] as number) - (otherPositions[atB + axis] as number);
    const along = minimumImage(direct, periods[axis] as number);
    const outside = Math.abs(along) - ((halves[atA + axis] as number) + (otherHalves[atB + axis] as number));
    apart[axis] = along;
    beyond[axis] = outside;
    if (outside > 0) squared += outside * outside;
  }
  if (squared >= COINCIDENT_SQUARED) {
    if (!(squared < round * round)) return NO_CONTACT;
    const distance = Math.sqrt(squared);
    for (let axis = 0; axis < dimensions; axis++) {
      const outside = Math.max(beyond[axis] as number, 0);
      normal[axis] = ((apart[axis] as number) < 0 ? -outside : outside) / distance;
    }
    return round - distance;
  }
  // Along every axis, the centres differ by hardly more than the sum of the half extents. So the way out is along the
  // axis of least depth. Centres that hardly differ along an axis count as equal along it.
  for (let axis = 0; axis < dimensions; axis++) {
    if (Math.abs(apart[axis] as number) >= NOT_APART) continue;
    apart[axis] = 0;
    beyond[axis] = -((halves[atA + axis] as number) + (otherHalves[atB + axis] as number));
  }
  let least = 0;
  for (let axis = 1; axis < dimensions; axis++) {
    if ((beyond[axis] as number) > (beyond[least] as number)) least = axis;
  }
  const overlap = round - (beyond[least] as number);
  if (!(overlap > 0)) return NO_CONTACT;
  const along = apart[least] as number;
  normal.fill(0);
  normal[least] = along > 0 || (along === 0 && a > b) ? 1 : -1;
  return overlap;
}

function findPartners(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const is3D = dimensions === 3;
  const { velocities } = state;
  const { approaches, partners } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    if (meet(lattice, state, a, b, substep.diameter) === NO_CONTACT) continue;
    const atA = dimensions * a;
    const atB = dimensions * b;
    let approach =
      ((velocities[atA] as number) - (velocities[atB] as number)) * (normal[0] as number) +
      ((velocities[atA + 1] as number) - (velocities[atB + 1] as number)) * (normal[1] as number);
    if (is3D) {
      approach += ((velocities[atA + 2] as number) - (velocities[atB + 2] as number)) * (normal[2] as number);
    }
    if (approach < (approaches[a] as number)) {
      approaches[a] = approach;
      partners[a] = b;
    }
    if (approach < (approaches[b] as number)) {
      approaches[b] = approach;
      partners[b] = a;
    }
  }
}

function respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const is3D = dimensions === 3;
  const { velocities, radii, bulks, loads } = state;
  const areEqual = bulks.length === 0;
  const { pushes, changes, supports, bearings, closings, depths, strains, marks, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction } = substep;
  const { pushSpeed, parting, restSpeed, deepRate, strainRate } = substep;
  const slow = Math.min(substep.kickSpeed, 2 * substep.calmSpeed);
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const overlap = meet(lattice, state, a, b, diameter);
    if (overlap === NO_CONTACT) continue;
    const atA = dimensions * a;
    const atB = dimensions * b;
    const x = normal[0] as number;
    const y = normal[1] as number;
    const z = is3D ? (normal[2] as number) : 0;
    const relativeX = (velocities[atA] as number) - (velocities[atB] as number);
    const relativeY = (velocities[atA + 1] as number) - (velocities[atB + 1] as number);
    const relativeZ = is3D ? (velocities[atA + 2] as number) - (velocities[atB + 2] as number) : 0;
    const approach = relativeX * x + relativeY * y + relativeZ * z;
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const slidingZ = relativeZ - approach * z;
    const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
    const load = areEqual ? 0 : (loads[a] as number) + (loads[b] as number);
    const restitution = areEqual ? substep.restitution : restitutionOf(substep.restitution, load);
    const bounces = restitution > 0 && partners[a] === b && partners[b] === a;
    // A bounce must keep momentum, so its mass shares do not depend on loads.
    const loadA = areEqual || bounces ? 0 : (loads[a] as number);
    const loadB = areEqual || bounces ? 0 : (loads[b] as number);
    const relaxed = (bounces ? BOUNCE_PUSH / 2 : halfRelaxation) * overlap;
    const half = bounces
      ? 0
      : halfChange(relaxed * inverseDt, approach, pushSpeed, parting, restSpeed, restitution);
    const deep = areEqual ? deepRate : DEEP / (2 * Math.min(radii[a] as number, radii[b] as number));
    const borne = areEqual || bulks[a] === bulks[b] ? 0 : load;
    const excess = bounces ? 0 : excessOf(half, approach);
    const strain = (strainRate * excess) / (1 + borne);
    const depth = deep * overlap;
    if (depth > 1) {
      marks[a] = 1;
      marks[b] = 1;
      depths[a] = Math.max(depths[a] as number, depth);
      depths[b] = Math.max(depths[b] as number, depth);
      if (depth > ASIDE_FROM && !bounces && (areEqual || radii[a] === radii[b])) {
        pushAside(state, response, is3D ? [x, y, z] : [x, y], a, b, relaxed, depth, deep);
      }
    }
    if (strain > 1) {
      marks[a] = 1;
      marks[b] = 1;
      strains[a] = Math.max(strains[a] as number, strain);
      strains[b] = Math.max(strains[b] as number, strain);
    }
    let share = areEqual ? 0.5 : massShare(dimensions, bulks[a] as number, bulks[b] as number, loadA, loadB);
    let push = 2 * share * relaxed;
    let change = bounces ? bounceChange(approach, share, restitution) : 2 * share * half;
    let braking = frictionShare(change, slidingSquared, 2 * share * gripShare, friction);
    let bearing = bounces ? 0 : change;
    changes[atA] = (changes[atA] as number) + (change * x - braking * slidingX);
    changes[atA + 1] = (changes[atA + 1] as number) + (change * y - braking * slidingY);
    if (is3D) changes[atA + 2] = (changes[atA + 2] as number) + (change * z - braking * slidingZ);
    // Usually dt · `change` equals `push`. With a bounce, pushSpeed or restitution, the two may differ. Then `pushes`
    // gets the rest of `push`. Unless the particles bounce, freePush enlarges this rest.
    const differs = bounces || half !== relaxed * inverseDt;
    if (differs) {
      const moved = dt * change;
      const extra = bounces ? push - moved : freePush(push, moved, share * overlap);
      const kept = bounces ? dt * braking : 0;
      marks[a] = 1;
      pushes[atA] = (pushes[atA] as number) + (extra * x + kept * slidingX);
      pushes[atA + 1] = (pushes[atA + 1] as number) + (extra * y + kept * slidingY);
      if (is3D) pushes[atA + 2] = (pushes[atA + 2] as number) + (extra * z + kept * slidingZ);
    }
    supports[atA] = (supports[atA] as number) + bearing * x;
    supports[atA + 1] = (supports[atA + 1] as number) + bearing * y;
    if (is3D) supports[atA + 2] = (supports[atA + 2] as number) + bearing * z;
    if (!areEqual) bearings[a] = (bearings[a] as number) + bearing;
    let closing = bounces
      ? Math.sqrt(change * change + braking * braking * slidingSquared)
      : -SPREADING * share * approach;
    if (closing > slow) {
      marks[a] = 1;
      closings[a] = Math.max(closings[a] as number, closing);
    }
    // If the share is ½, b gets the opposite of a's amounts.
    if (share !== 0.5) {
      share = massShare(dimensions, bulks[b] as number, bulks[a] as number, loadB, loadA);
      push = 2 * share * relaxed;
      change = bounces ? bounceChange(approach, share, restitution) : 2 * share * half;
      braking = frictionShare(change, slidingSquared, 2 * share * gripShare, friction);
      bearing = bounces ? 0 : change;
    }
    supports[atB] = (supports[atB] as number) - bearing * x;
    supports[atB + 1] = (supports[atB + 1] as number) - bearing * y;
    if (is3D) supports[atB + 2] = (supports[atB + 2] as number) - bearing * z;
    if (!areEqual) bearings[b] = (bearings[b] as number) + bearing;
    closing = bounces
      ? Math.sqrt(change * change + braking * braking * slidingSquared)
      : -SPREADING * share * approach;
    if (closing > slow) {
      marks[b] = 1;
      closings[b] = Math.max(closings[b] as number, closing);
    }
    changes[atB] = (changes[atB] as number) - (change * x - braking * slidingX);
    changes[atB + 1] = (changes[atB + 1] as number) - (change * y - braking * slidingY);
    if (is3D) changes[atB + 2] = (changes[atB + 2] as number) - (change * z - braking * slidingZ);
    if (differs) {
      const moved = dt * change;
      const extra = bounces ? push - moved : freePush(push, moved, share * overlap);
      const kept = bounces ? dt * braking : 0;
      marks[b] = 1;
      pushes[atB] = (pushes[atB] as number) - (extra * x + kept * slidingX);
      pushes[atB + 1] = (pushes[atB + 1] as number) - (extra * y + kept * slidingY);
      if (is3D) pushes[atB + 2] = (pushes[atB + 2] as number) - (extra * z + kept * slidingZ);
    }
  }
}

export function pushApart(
  pairs: SlotPairs,
  state: ParticleState,
  response: Response,
  substep: Substep,
): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const { bulks } = state;
  const areEqual = bulks.length === 0;
  const { pushes } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const overlap = meet(lattice, state, a, b, substep.diameter);
    if (overlap === NO_CONTACT) continue;
    const push = 2 * substep.halfRelaxation * overlap;
    const bulkA = areEqual ? 1 : (bulks[a] as number);
    const bulkB = areEqual ? 1 : (bulks[b] as number);
    const pushA = massShare(dimensions, bulkA, bulkB) * push;
    const pushB = massShare(dimensions, bulkB, bulkA) * push;
    for (let axis = 0; axis < dimensions; axis++) {
      const along = normal[axis] as number;
      const atA = dimensions * a + axis;
      const atB = dimensions * b + axis;
      pushes[atA] = (pushes[atA] as number) + pushA * along;
      pushes[atB] = (pushes[atB] as number) - pushB * along;
    }
  }
}

export const GENERAL_CONTACT: ContactKernels = { findPartners, respond };
