/**
 * The contact law for pairs of discs of one radius, in bounded and unbounded worlds. This file and space-contact.ts
 * have unrolled copies of `findPartners` and `respond` of general-contact.ts, because a loop over axes would take
 * longer than the other work.
 */
import { ASIDE_FROM, BOUNCE_PUSH, COINCIDENT_SQUARED, SPREADING } from '../../core/base/constants';
import { bounceChange, excessOf, freePush, frictionShare, halfChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import { type ContactKernels, coincidentNormal, pushAside, type Response } from './contact';

// V8 compiles constants of this module into the loops. It would load and check imported constants again for
// each pair.
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
    let x = (positions[2 * a] as number) - (positions[2 * b] as number);
    let y = (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number);
    const squared = x * x + y * y;
    if (squared > limit) continue;
    if (squared < COINCIDENT) {
      x = coincidentNormal(a, b, 0, 2);
      y = coincidentNormal(a, b, 1, 2);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
    }
    const approach =
      ((velocities[2 * a] as number) - (velocities[2 * b] as number)) * x +
      ((velocities[2 * a + 1] as number) - (velocities[2 * b + 1] as number)) * y;
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
    let x = (positions[2 * a] as number) - (positions[2 * b] as number);
    let y = (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number);
    const squared = x * x + y * y;
    if (squared > limit) continue;
    let overlap = diameter;
    if (squared < COINCIDENT) {
      x = coincidentNormal(a, b, 0, 2);
      y = coincidentNormal(a, b, 1, 2);
    } else {
      const distance = Math.sqrt(squared);
      x /= distance;
      y /= distance;
      overlap -= distance;
    }
    const relativeX = (velocities[2 * a] as number) - (velocities[2 * b] as number);
    const relativeY = (velocities[2 * a + 1] as number) - (velocities[2 * b + 1] as number);
    const approach = relativeX * x + relativeY * y;
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const push = (bounces ? BOUNCE_PUSH / 2 : halfRelaxation) * overlap;
    const pushVelocity = push * inverseDt;
    const change = bounces
      ? bounceChange(approach, 0.5, restitution)
      : halfChange(pushVelocity, approach, pushSpeed, parting, restSpeed, restitution);
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const slidingSquared = slidingX * slidingX + slidingY * slidingY;
    const braking = frictionShare(change, slidingSquared, gripShare, friction);
    const normalX = change * x;
    const normalY = change * y;
    if (!bounces) {
      supports[2 * a] = (supports[2 * a] as number) + normalX;
      supports[2 * a + 1] = (supports[2 * a + 1] as number) + normalY;
      supports[2 * b] = (supports[2 * b] as number) - normalX;
      supports[2 * b + 1] = (supports[2 * b + 1] as number) - normalY;
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
        pushAside(state, response, [x, y], a, b, push, depth, deepRate);
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
    const closing = bounces ? Math.sqrt(changeX * changeX + changeY * changeY) : SPREAD * approach;
    if (closing > slow) {
      marks[a] = 1;
      marks[b] = 1;
      closings[a] = Math.max(closings[a] as number, closing);
      closings[b] = Math.max(closings[b] as number, closing);
    }
    changes[2 * a] = (changes[2 * a] as number) + changeX;
    changes[2 * a + 1] = (changes[2 * a + 1] as number) + changeY;
    changes[2 * b] = (changes[2 * b] as number) - changeX;
    changes[2 * b + 1] = (changes[2 * b + 1] as number) - changeY;
    // general-contact.ts explains this condition.
    if (bounces || change !== pushVelocity) {
      const moved = dt * change;
      const extra = bounces ? push - moved : freePush(push, moved, overlap / 2);
      const kept = bounces ? dt * braking : 0;
      const extraX = extra * x + kept * slidingX;
      const extraY = extra * y + kept * slidingY;
      marks[a] = 1;
      marks[b] = 1;
      pushes[2 * a] = (pushes[2 * a] as number) + extraX;
      pushes[2 * a + 1] = (pushes[2 * a + 1] as number) + extraY;
      pushes[2 * b] = (pushes[2 * b] as number) - extraX;
      pushes[2 * b + 1] = (pushes[2 * b + 1] as number) - extraY;
    }
  }
}

export const PLANE_CONTACT: ContactKernels = { findPartners, respond };
