/**
 * The contact law (core/contact/law.ts) for pairs of particles in any world, in 2D and 3D. Particles of one radius use
 * the faster loops of plane-contact.ts and space-contact.ts instead, except `findPartners` and `respond` in periodic
 * worlds and except pushing apart.
 * Guarantee: for contacts of such particles away from the ends of a periodic world, `findPartners` and `respond` give
 * the same bits as in those two files.
 */
import { BOUNCE_PUSH, bounceChange, frictionShare, massShare } from '../../core/contact/law';
import { loadOf, pushChange } from '../../core/contact/pass-law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import { type ContactKernels, GREATEST_PLAIN, type Response } from './contact';
import { normaliseNotFinite } from './integrate';
import { meet, NO_CONTACT, normal } from './shapes';
import { meetWalls, scratchMargin, scratchPosition, scratchVelocity } from './walls';

export function findPartners(
  pairs: SlotPairs,
  state: ParticleState,
  response: Response,
  substep: Substep,
): void {
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

export function respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const is3D = dimensions === 3;
  const { velocities, bulks, loads } = state;
  const areEqual = bulks.length === 0;
  const { pushes, changes, supports, bearings, closings, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } =
    substep;
  const bouncing = restitution > 0;
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
    const sliding = Math.sqrt(slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ);
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    // A bounce keeps momentum, so it does not count loads.
    const loadA = areEqual || bounces ? 0 : (loads[a] as number);
    const loadB = areEqual || bounces ? 0 : (loads[b] as number);
    const relaxed = (bounces ? BOUNCE_PUSH / 2 : halfRelaxation) * overlap;
    let share = areEqual ? 0.5 : massShare(dimensions, bulks[a] as number, bulks[b] as number, loadA, loadB);
    let push = 2 * share * relaxed;
    let change = bounces
      ? bounceChange(approach, share, restitution)
      : pushChange(push * inverseDt, approach, share, 2 * share * pushSpeed, restSpeed, restitution);
    let braking = frictionShare(change, sliding, 2 * share * gripShare, friction);
    let frictionPush = bounces ? 0 : braking * dt;
    let bearing = bounces ? 0 : change;
    changes[atA] = (changes[atA] as number) + (change * x - braking * slidingX);
    changes[atA + 1] = (changes[atA + 1] as number) + (change * y - braking * slidingY);
    pushes[atA] = (pushes[atA] as number) + (push * x - frictionPush * slidingX);
    pushes[atA + 1] = (pushes[atA + 1] as number) + (push * y - frictionPush * slidingY);
    if (is3D) {
      changes[atA + 2] = (changes[atA + 2] as number) + (change * z - braking * slidingZ);
      pushes[atA + 2] = (pushes[atA + 2] as number) + (push * z - frictionPush * slidingZ);
    }
    supports[atA] = (supports[atA] as number) + bearing * x;
    supports[atA + 1] = (supports[atA + 1] as number) + bearing * y;
    if (is3D) supports[atA + 2] = (supports[atA + 2] as number) + bearing * z;
    bearings[a] = (bearings[a] as number) + bearing;
    closings[a] = Math.max(closings[a] as number, -share * approach);
    // With a share of ½, b gets the same amounts as a in the opposite direction. Other shares give b its own amounts.
    if (share !== 0.5) {
      share = massShare(dimensions, bulks[b] as number, bulks[a] as number, loadB, loadA);
      push = 2 * share * relaxed;
      change = bounces
        ? bounceChange(approach, share, restitution)
        : pushChange(push * inverseDt, approach, share, 2 * share * pushSpeed, restSpeed, restitution);
      braking = frictionShare(change, sliding, 2 * share * gripShare, friction);
      frictionPush = bounces ? 0 : braking * dt;
      bearing = bounces ? 0 : change;
    }
    supports[atB] = (supports[atB] as number) - bearing * x;
    supports[atB + 1] = (supports[atB + 1] as number) - bearing * y;
    if (is3D) supports[atB + 2] = (supports[atB + 2] as number) - bearing * z;
    bearings[b] = (bearings[b] as number) + bearing;
    closings[b] = Math.max(closings[b] as number, -share * approach);
    changes[atB] = (changes[atB] as number) - (change * x - braking * slidingX);
    changes[atB + 1] = (changes[atB + 1] as number) - (change * y - braking * slidingY);
    pushes[atB] = (pushes[atB] as number) - (push * x - frictionPush * slidingX);
    pushes[atB + 1] = (pushes[atB + 1] as number) - (push * y - frictionPush * slidingY);
    if (is3D) {
      changes[atB + 2] = (changes[atB + 2] as number) - (change * z - braking * slidingZ);
      pushes[atB + 2] = (pushes[atB + 2] as number) - (push * z - frictionPush * slidingZ);
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

/**
 * Sets scratchMargin to the distance that a particle's centre keeps from `lower` and `upper` along each axis: a ball's
 * radius, or half of a box's edge. It is 0 if all particles have one radius, because `lower` and `upper` include it.
 */
function loadMargin(dimensions: number, { radii, halves }: ParticleState, slot: number): void {
  const isBall = !((halves[dimensions * slot] as number) > 0);
  const radius = radii.length > 0 ? (radii[slot] as number) : 0;
  for (let axis = 0; axis < dimensions; axis++) {
    scratchMargin[axis] = isBall ? radius : (halves[dimensions * slot + axis] as number);
  }
}

export function finish(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions, velocities, loads } = state;
  const { pushes, changes, bearings } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length as Dimensions;
  for (let slot = 0; slot < live; slot++) {
    const first = dimensions * slot;
    loadMargin(dimensions, state, slot);
    let isInside = true;
    let size = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const word = first + axis;
      const position = (positions[word] as number) + (pushes[word] as number);
      const velocity = (velocities[word] as number) + (changes[word] as number);
      pushes[word] = 0;
      changes[word] = 0;
      scratchPosition[axis] = position;
      scratchVelocity[axis] = velocity;
      size += Math.abs(position) + Math.abs(velocity);
      const margin = scratchMargin[axis] as number;
      if (position < (lower[axis] as number) + margin || position > (upper[axis] as number) - margin) {
        isInside = false;
      }
    }
    let bearing = bearings[slot] as number;
    if (walls && !isInside) bearing += meetWalls(dimensions, substep, scratchMargin);
    bearings[slot] = 0;
    let net = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      net += ((scratchVelocity[axis] as number) - (velocities[first + axis] as number)) ** 2;
      positions[first + axis] = scratchPosition[axis] as number;
      velocities[first + axis] = scratchVelocity[axis] as number;
    }
    if (loads.length > 0) loads[slot] = loadOf(bearing, Math.sqrt(net), substep.restSpeed);
    if (!(size < GREATEST_PLAIN)) normaliseNotFinite(state, dimensions, slot);
  }
}

export function finishPushApart(
  state: ParticleState,
  live: number,
  response: Response,
  substep: Substep,
): void {
  const { positions } = state;
  const { pushes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length;
  for (let slot = 0; slot < live; slot++) {
    loadMargin(dimensions, state, slot);
    for (let axis = 0; axis < dimensions; axis++) {
      const word = dimensions * slot + axis;
      const position = (positions[word] as number) + (pushes[word] as number);
      pushes[word] = 0;
      const low = (lower[axis] as number) + (scratchMargin[axis] as number);
      const high = (upper[axis] as number) - (scratchMargin[axis] as number);
      positions[word] = walls ? Math.min(Math.max(position, low), high) : position;
    }
  }
}

/** The contact loops for variable radii and boxes. */
export const VARIABLE_CONTACT: ContactKernels = {
  findPartners,
  respond,
  pushApart,
  finish,
  finishPushApart,
};
