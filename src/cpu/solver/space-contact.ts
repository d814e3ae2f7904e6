/** The contact law for pairs of balls of one radius, in bounded and unbounded worlds; see plane-contact.ts. */
import { ASIDE_FROM, BOUNCE_PUSH, COINCIDENT_SQUARED, SPREADING } from '../../core/base/constants';
import { bounceChange, excessOf, freePush, frictionShare, halfChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import { type ContactKernels, coincidentNormal, pushAside, type Response } from './contact';

// plane-contact.ts says why these constants are not used directly.
const COINCIDENT = COINCIDENT_SQUARED;
const SPREAD = -0.5 * SPREADING;

function findPartners(
  pairs: SlotPairs,
  state: ParticleState,
  response: Response,
  { diameter }: Substep,
): void {
  const { words, length } = pairs;
  const { positions, velocities } = state;
  const { approaches, partners } = response;
  const limit = diameter * diameter;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[3 * a] as number) - (positions[3 * b] as number);
    let y = (positions[3 * a + 1] as number) - (positions[3 * b + 1] as number);
    let z = (positions[3 * a + 2] as number) - (positions[3 * b + 2] as number);
    const squared = x * x + y * y + z * z;
    if (squared > limit) continue;
    if (squared < COINCIDENT) {
      x = coincidentNormal(a, b, 0, 3);
      y = coincidentNormal(a, b, 1, 3);
      z = coincidentNormal(a, b, 2, 3);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
      z /= distance;
    }
    const approach =
      ((velocities[3 * a] as number) - (velocities[3 * b] as number)) * x +
      ((velocities[3 * a + 1] as number) - (velocities[3 * b + 1] as number)) * y +
      ((velocities[3 * a + 2] as number) - (velocities[3 * b + 2] as number)) * z;
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
  const { words, length } = pairs;
  const { positions, velocities } = state;
  const { pushes, changes, supports, closings, depths, strains, marks, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, restitution } = substep;
  const { pushSpeed, parting, restSpeed, deepRate, strainRate } = substep;
  const slow = Math.min(substep.kickSpeed, 2 * substep.calmSpeed);
  const bouncing = restitution > 0;
  const limit = diameter * diameter;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[3 * a] as number) - (positions[3 * b] as number);
    let y = (positions[3 * a + 1] as number) - (positions[3 * b + 1] as number);
    let z = (positions[3 * a + 2] as number) - (positions[3 * b + 2] as number);
    const squared = x * x + y * y + z * z;
    if (squared > limit) continue;
    let overlap = diameter;
    if (squared < COINCIDENT) {
      x = coincidentNormal(a, b, 0, 3);
      y = coincidentNormal(a, b, 1, 3);
      z = coincidentNormal(a, b, 2, 3);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
      z /= distance;
      overlap -= distance;
    }
    const relativeX = (velocities[3 * a] as number) - (velocities[3 * b] as number);
    const relativeY = (velocities[3 * a + 1] as number) - (velocities[3 * b + 1] as number);
    const relativeZ = (velocities[3 * a + 2] as number) - (velocities[3 * b + 2] as number);
    const approach = relativeX * x + relativeY * y + relativeZ * z;
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const push = (bounces ? BOUNCE_PUSH / 2 : halfRelaxation) * overlap;
    const pushVelocity = push * inverseDt;
    const change = bounces
      ? bounceChange(approach, 0.5, restitution)
      : halfChange(pushVelocity, approach, pushSpeed, parting, restSpeed, restitution);
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const slidingZ = relativeZ - approach * z;
    const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
    const braking = frictionShare(change, slidingSquared, gripShare, friction);
    const normalX = change * x;
    const normalY = change * y;
    const normalZ = change * z;
    if (!bounces) {
      supports[3 * a] = (supports[3 * a] as number) + normalX;
      supports[3 * a + 1] = (supports[3 * a + 1] as number) + normalY;
      supports[3 * a + 2] = (supports[3 * a + 2] as number) + normalZ;
      supports[3 * b] = (supports[3 * b] as number) - normalX;
      supports[3 * b + 1] = (supports[3 * b + 1] as number) - normalY;
      supports[3 * b + 2] = (supports[3 * b + 2] as number) - normalZ;
    }
    const excess = bounces ? 0 : excessOf(change, approach);
    const strain = strainRate * excess;
    const depth = deepRate * overlap;
    if (depth > 1) {
      marks[a] = 1;
      marks[b] = 1;
      depths[a] = Math.max(depths[a] as number, depth);
      depths[b] = Math.max(depths[b] as number, depth);
      if (depth > ASIDE_FROM && !bounces) {
        pushAside(state, response, [x, y, z], a, b, push, depth, deepRate);
      }
    }
    if (strain > 1) {
      marks[a] = 1;
      marks[b] = 1;
      strains[a] = Math.max(strains[a] as number, strain);
      strains[b] = Math.max(strains[b] as number, strain);
    }
    const changeX = normalX - braking * slidingX;
    const changeY = normalY - braking * slidingY;
    const changeZ = normalZ - braking * slidingZ;
    const closing = bounces
      ? Math.sqrt(changeX * changeX + changeY * changeY + changeZ * changeZ)
      : SPREAD * approach;
    if (closing > slow) {
      marks[a] = 1;
      marks[b] = 1;
      closings[a] = Math.max(closings[a] as number, closing);
      closings[b] = Math.max(closings[b] as number, closing);
    }
    changes[3 * a] = (changes[3 * a] as number) + changeX;
    changes[3 * a + 1] = (changes[3 * a + 1] as number) + changeY;
    changes[3 * a + 2] = (changes[3 * a + 2] as number) + changeZ;
    changes[3 * b] = (changes[3 * b] as number) - changeX;
    changes[3 * b + 1] = (changes[3 * b + 1] as number) - changeY;
    changes[3 * b + 2] = (changes[3 * b + 2] as number) - changeZ;
    // general-contact.ts explains this condition.
    if (bounces || change !== pushVelocity) {
      const moved = dt * change;
      const extra = bounces ? push - moved : freePush(push, moved, overlap / 2);
      const kept = bounces ? dt * braking : 0;
      const extraX = extra * x + kept * slidingX;
      const extraY = extra * y + kept * slidingY;
      const extraZ = extra * z + kept * slidingZ;
      marks[a] = 1;
      marks[b] = 1;
      pushes[3 * a] = (pushes[3 * a] as number) + extraX;
      pushes[3 * a + 1] = (pushes[3 * a + 1] as number) + extraY;
      pushes[3 * a + 2] = (pushes[3 * a + 2] as number) + extraZ;
      pushes[3 * b] = (pushes[3 * b] as number) - extraX;
      pushes[3 * b + 1] = (pushes[3 * b + 1] as number) - extraY;
      pushes[3 * b + 2] = (pushes[3 * b + 2] as number) - extraZ;
    }
  }
}

export const SPACE_CONTACT: ContactKernels = { findPartners, respond };
