/**
 * The contact law for pairs of particles in any world, in 2D and 3D. Particles of one radius use `findPartners` and
 * `respond` of this file only in periodic worlds; otherwise plane-contact.ts and space-contact.ts are faster.
 * Guarantee: for particles of one radius, away from the ends of a periodic world, `findPartners` and `respond` give the
 * same bits as those files.
 */
import { BOUNCE_PUSH } from '../../core/base/constants';
import { bounceChange, frictionShare, massShare } from '../../core/contact/law';
import { idleClosing, pushChange } from '../../core/contact/pass-law';
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import type { ContactKernels, Response } from './contact';
import { meet, NO_CONTACT, normal } from './shapes';

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
  const { velocities, bulks, loads } = state;
  const areEqual = bulks.length === 0;
  const { pushes, changes, supports, bearings, closings, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } =
    substep;
  const bouncing = restitution > 0;
  const idle = idleClosing(substep);
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
    let bearing = bounces ? 0 : change;
    changes[atA] = (changes[atA] as number) + (change * x - braking * slidingX);
    changes[atA + 1] = (changes[atA + 1] as number) + (change * y - braking * slidingY);
    if (is3D) changes[atA + 2] = (changes[atA + 2] as number) + (change * z - braking * slidingZ);
    // Otherwise dt · change moves the particles. A bounce, pushSpeed or restitution leaves a difference.
    if (bounces || change !== push * inverseDt) {
      const extra = push - dt * change;
      const kept = bounces ? dt * braking : 0;
      pushes[atA] = (pushes[atA] as number) + (extra * x + kept * slidingX);
      pushes[atA + 1] = (pushes[atA + 1] as number) + (extra * y + kept * slidingY);
      if (is3D) pushes[atA + 2] = (pushes[atA + 2] as number) + (extra * z + kept * slidingZ);
    }
    supports[atA] = (supports[atA] as number) + bearing * x;
    supports[atA + 1] = (supports[atA + 1] as number) + bearing * y;
    if (is3D) supports[atA + 2] = (supports[atA + 2] as number) + bearing * z;
    bearings[a] = (bearings[a] as number) + bearing;
    let closing = -share * approach;
    if (closing > idle) closings[a] = Math.max(closings[a] as number, closing);
    // With a share of ½, b gets the opposite of a's amounts.
    if (share !== 0.5) {
      share = massShare(dimensions, bulks[b] as number, bulks[a] as number, loadB, loadA);
      push = 2 * share * relaxed;
      change = bounces
        ? bounceChange(approach, share, restitution)
        : pushChange(push * inverseDt, approach, share, 2 * share * pushSpeed, restSpeed, restitution);
      braking = frictionShare(change, sliding, 2 * share * gripShare, friction);
      bearing = bounces ? 0 : change;
    }
    supports[atB] = (supports[atB] as number) - bearing * x;
    supports[atB + 1] = (supports[atB + 1] as number) - bearing * y;
    if (is3D) supports[atB + 2] = (supports[atB + 2] as number) - bearing * z;
    bearings[b] = (bearings[b] as number) + bearing;
    closing = -share * approach;
    if (closing > idle) closings[b] = Math.max(closings[b] as number, closing);
    changes[atB] = (changes[atB] as number) - (change * x - braking * slidingX);
    changes[atB + 1] = (changes[atB + 1] as number) - (change * y - braking * slidingY);
    if (is3D) changes[atB + 2] = (changes[atB + 2] as number) - (change * z - braking * slidingZ);
    if (bounces || change !== push * inverseDt) {
      const extra = push - dt * change;
      const kept = bounces ? dt * braking : 0;
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
