/**
 * Purpose: the contact law where the world wraps around: findPartners, respond and separate of kernels.ts with the
 * nearest images of the two particles, in the plane and in space. The arithmetic of steps is that of plane.ts and
 * space.ts, so that contacts away from the ends have the same bits as there.
 */
import type { Substep } from '../../core/contact/settings';
import type { ParticleState, Response, SlotPairs } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { bearingChange, COINCIDENT_SQUARED, coincidentNormal } from './contact';

/** From one coordinate to another, the shorter way; the period is infinite where there is one way only. */
export function nearest(apart: number, period: number): number {
  const half = period / 2;
  return apart > half ? apart - period : apart < -half ? apart + period : apart;
}

/** From b to a, of unit length: what `face` found last. */
export const normal = new Float64Array(3);

/** Finds `normal`, the direction in which two particles meet, and returns how far apart they are. */
export function face(
  { dimensions, periods }: Lattice,
  positions: Float32Array,
  a: number,
  b: number,
): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const direct =
      (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
    const apart = nearest(direct, periods[axis] as number);
    normal[axis] = apart;
    squared += apart * apart;
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

export function findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const inSpace = dimensions === 3;
  const { positions, velocities } = state;
  const { approaches, partners } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    face(lattice, positions, a, b);
    const x = normal[0] as number;
    const y = normal[1] as number;
    const z = inSpace ? (normal[2] as number) : 0;
    let approach =
      ((velocities[atA] as number) - (velocities[atB] as number)) * x +
      ((velocities[atA + 1] as number) - (velocities[atB + 1] as number)) * y;
    if (inSpace) approach += ((velocities[atA + 2] as number) - (velocities[atB + 2] as number)) * z;
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
  const inSpace = dimensions === 3;
  const { positions, velocities } = state;
  const { pushes, changes, partners } = response;
  const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } =
    substep;
  const bouncing = restitution > 0;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    const distance = face(lattice, positions, a, b);
    const x = normal[0] as number;
    const y = normal[1] as number;
    const z = inSpace ? (normal[2] as number) : 0;
    const overlap = diameter - distance;
    const push = halfRelaxation * overlap;
    const relativeX = (velocities[atA] as number) - (velocities[atB] as number);
    const relativeY = (velocities[atA + 1] as number) - (velocities[atB + 1] as number);
    const relativeZ = inSpace ? (velocities[atA + 2] as number) - (velocities[atB + 2] as number) : 0;
    const approach = relativeX * x + relativeY * y + relativeZ * z;
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const change = bounces
      ? -0.5 * (1 + restitution) * approach
      : bearingChange(push * inverseDt, approach, pushSpeed, restSpeed, restitution);
    const slidingX = relativeX - approach * x;
    const slidingY = relativeY - approach * y;
    const slidingZ = relativeZ - approach * z;
    const sliding = Math.sqrt(slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ);
    const braking = sliding > 0 ? Math.min(friction * change, gripShare * sliding) / sliding : 0;
    const changeX = change * x - braking * slidingX;
    const changeY = change * y - braking * slidingY;
    // A contact that bears also holds its place; one that bounces only changes course.
    const held = bounces ? 0 : braking * dt;
    const pushX = push * x - held * slidingX;
    const pushY = push * y - held * slidingY;
    changes[atA] = (changes[atA] as number) + changeX;
    changes[atA + 1] = (changes[atA + 1] as number) + changeY;
    changes[atB] = (changes[atB] as number) - changeX;
    changes[atB + 1] = (changes[atB + 1] as number) - changeY;
    pushes[atA] = (pushes[atA] as number) + pushX;
    pushes[atA + 1] = (pushes[atA + 1] as number) + pushY;
    pushes[atB] = (pushes[atB] as number) - pushX;
    pushes[atB + 1] = (pushes[atB + 1] as number) - pushY;
    if (inSpace) {
      const changeZ = change * z - braking * slidingZ;
      const pushZ = push * z - held * slidingZ;
      changes[atA + 2] = (changes[atA + 2] as number) + changeZ;
      changes[atB + 2] = (changes[atB + 2] as number) - changeZ;
      pushes[atA + 2] = (pushes[atA + 2] as number) + pushZ;
      pushes[atB + 2] = (pushes[atB + 2] as number) - pushZ;
    }
  }
}

export function separate(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const inSpace = dimensions === 3;
  const { positions } = state;
  const { pushes } = response;
  const { diameter, halfRelaxation } = substep;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    const distance = face(lattice, positions, a, b);
    const x = normal[0] as number;
    const y = normal[1] as number;
    const z = inSpace ? (normal[2] as number) : 0;
    const push = halfRelaxation * (diameter - distance);
    pushes[atA] = (pushes[atA] as number) + push * x;
    pushes[atA + 1] = (pushes[atA + 1] as number) + push * y;
    pushes[atB] = (pushes[atB] as number) - push * x;
    pushes[atB + 1] = (pushes[atB + 1] as number) - push * y;
    if (!inSpace) continue;
    pushes[atA + 2] = (pushes[atA + 2] as number) + push * z;
    pushes[atB + 2] = (pushes[atB + 2] as number) - push * z;
  }
}
