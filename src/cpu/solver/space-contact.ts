/**
 * The contact law (core/contact/law.ts) for pairs of balls of one radius, in worlds that do not wrap. plane-contact.ts
 * is the same in 2D.
 */
import { BOUNCE_PUSH, bounceChange, frictionShare } from '../../core/contact/law';
import { pushChange } from '../../core/contact/pass-law';
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import {
  COINCIDENT_SQUARED,
  coincidentNormal,
  GREATEST_PLAIN,
  type Response,
  type StraightContact,
} from './contact';
import { normaliseNotFinite } from './integrate';
import { loadScratch, meetWalls, scratchPosition, scratchVelocity } from './walls';

function findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
  const { words, length } = pairs;
  const { positions, velocities } = state;
  const { approaches, partners } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[3 * a] as number) - (positions[3 * b] as number);
    let y = (positions[3 * a + 1] as number) - (positions[3 * b + 1] as number);
    let z = (positions[3 * a + 2] as number) - (positions[3 * b + 2] as number);
    const squared = x * x + y * y + z * z;
    if (squared < COINCIDENT_SQUARED) {
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
  const { pushes, changes, supports, bearings, closings, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } =
    substep;
  const bouncing = restitution > 0;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    let x = (positions[3 * a] as number) - (positions[3 * b] as number);
    let y = (positions[3 * a + 1] as number) - (positions[3 * b + 1] as number);
    let z = (positions[3 * a + 2] as number) - (positions[3 * b + 2] as number);
    const squared = x * x + y * y + z * z;
    let overlap = diameter;
    if (squared < COINCIDENT_SQUARED) {
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
    const change = bounces
      ? bounceChange(approach, 0.5, restitution)
      : pushChange(push * inverseDt, approach, 0.5, pushSpeed, restSpeed, restitution);
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const slidingZ = relativeZ - approach * z;
    const sliding = Math.sqrt(slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ);
    const braking = frictionShare(change, sliding, gripShare, friction);
    const bearing = bounces ? 0 : change;
    const supportX = bearing * x;
    const supportY = bearing * y;
    const supportZ = bearing * z;
    supports[3 * a] = (supports[3 * a] as number) + supportX;
    supports[3 * a + 1] = (supports[3 * a + 1] as number) + supportY;
    supports[3 * a + 2] = (supports[3 * a + 2] as number) + supportZ;
    supports[3 * b] = (supports[3 * b] as number) - supportX;
    supports[3 * b + 1] = (supports[3 * b + 1] as number) - supportY;
    supports[3 * b + 2] = (supports[3 * b + 2] as number) - supportZ;
    bearings[a] = (bearings[a] as number) + bearing;
    bearings[b] = (bearings[b] as number) + bearing;
    const closing = -0.5 * approach;
    if (closing > (closings[a] as number)) closings[a] = closing;
    if (closing > (closings[b] as number)) closings[b] = closing;
    const changeX = change * x - braking * slidingX;
    const changeY = change * y - braking * slidingY;
    const changeZ = change * z - braking * slidingZ;
    changes[3 * a] = (changes[3 * a] as number) + changeX;
    changes[3 * a + 1] = (changes[3 * a + 1] as number) + changeY;
    changes[3 * a + 2] = (changes[3 * a + 2] as number) + changeZ;
    changes[3 * b] = (changes[3 * b] as number) - changeX;
    changes[3 * b + 1] = (changes[3 * b + 1] as number) - changeY;
    changes[3 * b + 2] = (changes[3 * b + 2] as number) - changeZ;
    const frictionPush = bounces ? 0 : braking * dt;
    const pushX = push * x - frictionPush * slidingX;
    const pushY = push * y - frictionPush * slidingY;
    const pushZ = push * z - frictionPush * slidingZ;
    pushes[3 * a] = (pushes[3 * a] as number) + pushX;
    pushes[3 * a + 1] = (pushes[3 * a + 1] as number) + pushY;
    pushes[3 * a + 2] = (pushes[3 * a + 2] as number) + pushZ;
    pushes[3 * b] = (pushes[3 * b] as number) - pushX;
    pushes[3 * b + 1] = (pushes[3 * b + 1] as number) - pushY;
    pushes[3 * b + 2] = (pushes[3 * b + 2] as number) - pushZ;
  }
}

function finish(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions, velocities } = state;
  const { pushes, changes, bearings } = response;
  const { lower, upper, walls } = substep;
  const [lowerX, lowerY, lowerZ] = lower as [number, number, number];
  const [upperX, upperY, upperZ] = upper as [number, number, number];
  for (let slot = 0; slot < live; slot++) {
    const first = 3 * slot;
    const x = (positions[first] as number) + (pushes[first] as number);
    const y = (positions[first + 1] as number) + (pushes[first + 1] as number);
    const z = (positions[first + 2] as number) + (pushes[first + 2] as number);
    const velocityX = (velocities[first] as number) + (changes[first] as number);
    const velocityY = (velocities[first + 1] as number) + (changes[first + 1] as number);
    const velocityZ = (velocities[first + 2] as number) + (changes[first + 2] as number);
    pushes[first] = 0;
    pushes[first + 1] = 0;
    pushes[first + 2] = 0;
    changes[first] = 0;
    bearings[slot] = 0;
    changes[first + 1] = 0;
    changes[first + 2] = 0;
    if (walls && (x < lowerX || x > upperX || y < lowerY || y > upperY || z < lowerZ || z > upperZ)) {
      loadScratch(x, y, z, velocityX, velocityY, velocityZ);
      meetWalls(3, substep);
      positions[first] = scratchPosition[0] as number;
      positions[first + 1] = scratchPosition[1] as number;
      positions[first + 2] = scratchPosition[2] as number;
      velocities[first] = scratchVelocity[0] as number;
      velocities[first + 1] = scratchVelocity[1] as number;
      velocities[first + 2] = scratchVelocity[2] as number;
    } else {
      positions[first] = x;
      positions[first + 1] = y;
      positions[first + 2] = z;
      velocities[first] = velocityX;
      velocities[first + 1] = velocityY;
      velocities[first + 2] = velocityZ;
    }
    const extent = Math.abs(x) + Math.abs(y) + Math.abs(z);
    const speed = Math.abs(velocityX) + Math.abs(velocityY) + Math.abs(velocityZ);
    if (!(extent + speed < GREATEST_PLAIN)) {
      normaliseNotFinite(state, 3, slot);
    }
  }
}

export const SPACE_CONTACT: StraightContact = { findPartners, respond, finish };
