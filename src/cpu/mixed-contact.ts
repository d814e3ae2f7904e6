/**
 * Purpose: the contact law where each particle has a radius of its own: findPartners, respond, separate, finish and
 * finishSeparate of kernels.ts, in the plane and in space and in every world. Where plane.ts has ½, each side of a
 * contact has its share; particles keep their own radius away from walls.
 */
import { type Substep, shareOf } from '../core/settings';
import type { Dimensions } from '../core/world';
import {
  bearingChange,
  GREATEST_PLAIN,
  meetWalls,
  normaliseNotFinite,
  scratchPosition,
  scratchVelocity,
} from './contact';
import type { ParticleState, Response, SlotPairs } from './kernels';
import { face, findPartners, normal } from './wrapped-contact';

export { findPartners };

/** The part of the relative velocity across the normal. */
const sliding = new Float64Array(3);

export function respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const { positions, velocities, radii } = state;
  const { partners } = response;
  const bouncing = substep.restitution > 0;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    const radiusA = radii[a] as number;
    const radiusB = radii[b] as number;
    const overlap = radiusA + radiusB - face(lattice, positions, a, b);
    let approach = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const relative = (velocities[atA + axis] as number) - (velocities[atB + axis] as number);
      sliding[axis] = relative;
      approach += relative * (normal[axis] as number);
    }
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const across = (sliding[axis] as number) - approach * (normal[axis] as number);
      sliding[axis] = across;
      squared += across * across;
    }
    const speed = Math.sqrt(squared);
    const bounces = bouncing && partners[a] === b && partners[b] === a;
    const shareA = shareOf(dimensions, radiusA, radiusB);
    const shareB = shareOf(dimensions, radiusB, radiusA);
    exert(response, dimensions, atA, 1, shareA, overlap, approach, speed, bounces, substep);
    exert(response, dimensions, atB, -1, shareB, overlap, approach, speed, bounces, substep);
  }
}

/** What a contact does to the side whose vectors begin at `first`; the normal is its own times `sign`. */
function exert(
  { pushes, changes }: Response,
  dimensions: number,
  first: number,
  sign: 1 | -1,
  share: number,
  overlap: number,
  approach: number,
  speed: number,
  bounces: boolean,
  substep: Substep,
): void {
  const { halfRelaxation, gripShare, inverseDt, dt, friction, pushSpeed, restSpeed, restitution } = substep;
  const push = 2 * share * halfRelaxation * overlap;
  const change = bounces
    ? -share * (1 + restitution) * approach
    : bearingChange(push * inverseDt, approach, 2 * share * pushSpeed, restSpeed, restitution, share);
  const braking = speed > 0 ? Math.min(friction * change, 2 * share * gripShare * speed) / speed : 0;
  // A contact that bears also holds its place; one that bounces only changes course.
  const held = bounces ? 0 : braking * dt;
  for (let axis = 0; axis < dimensions; axis++) {
    const along = sign * (normal[axis] as number);
    const across = sign * (sliding[axis] as number);
    const place = first + axis;
    changes[place] = (changes[place] as number) + (change * along - braking * across);
    pushes[place] = (pushes[place] as number) + (push * along - held * across);
  }
}

export function separate(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const { positions, radii } = state;
  const { pushes } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const radiusA = radii[a] as number;
    const radiusB = radii[b] as number;
    const overlap = radiusA + radiusB - face(lattice, positions, a, b);
    const push = 2 * substep.halfRelaxation * overlap;
    const pushA = shareOf(dimensions, radiusA, radiusB) * push;
    const pushB = shareOf(dimensions, radiusB, radiusA) * push;
    for (let axis = 0; axis < dimensions; axis++) {
      const along = normal[axis] as number;
      const atA = dimensions * a + axis;
      const atB = dimensions * b + axis;
      pushes[atA] = (pushes[atA] as number) + pushA * along;
      pushes[atB] = (pushes[atB] as number) - pushB * along;
    }
  }
}

export function finish(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions, velocities, radii } = state;
  const { pushes, changes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length as Dimensions;
  for (let slot = 0; slot < live; slot++) {
    const first = dimensions * slot;
    const radius = radii[slot] as number;
    let isInside = true;
    let size = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const place = first + axis;
      const position = (positions[place] as number) + (pushes[place] as number);
      const velocity = (velocities[place] as number) + (changes[place] as number);
      pushes[place] = 0;
      changes[place] = 0;
      scratchPosition[axis] = position;
      scratchVelocity[axis] = velocity;
      size += Math.abs(position) + Math.abs(velocity);
      if (position < (lower[axis] as number) + radius || position > (upper[axis] as number) - radius) {
        isInside = false;
      }
    }
    if (walls && !isInside) meetWalls(dimensions, substep, radius);
    for (let axis = 0; axis < dimensions; axis++) {
      positions[first + axis] = scratchPosition[axis] as number;
      velocities[first + axis] = scratchVelocity[axis] as number;
    }
    if (!(size < GREATEST_PLAIN)) normaliseNotFinite(state, dimensions, slot);
  }
}

export function finishSeparate(
  state: ParticleState,
  live: number,
  response: Response,
  substep: Substep,
): void {
  const { positions, radii } = state;
  const { pushes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length;
  for (let slot = 0; slot < live; slot++) {
    const radius = radii[slot] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const place = dimensions * slot + axis;
      const position = (positions[place] as number) + (pushes[place] as number);
      pushes[place] = 0;
      const low = (lower[axis] as number) + radius;
      const high = (upper[axis] as number) - radius;
      positions[place] = walls ? Math.min(Math.max(position, low), high) : position;
    }
  }
}
