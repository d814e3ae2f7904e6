/**
 * Purpose: the contact law where each particle has a size of its own: findPartners, respond, separate, finish and
 * finishSeparate of kernels.ts, in the plane and in space and in every world. Where plane.ts has ½, each side of a
 * contact has its share; particles keep their own radius, of a box half of its edges, away from walls. Where some may be
 * boxes, of the pairs whose balls overlap those are passed over that do not themselves.
 */
import { massShare, type Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState, Response, SlotPairs } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import {
  bearingChange,
  GREATEST_PLAIN,
  meetWalls,
  normaliseNotFinite,
  scratchMargin,
  scratchPosition,
  scratchVelocity,
} from './contact';
import { faceShapes, NO_CONTACT } from './shapes';
import { face, normal } from './wrapped-contact';

/** Finds `normal` and returns by how much two overlap, or NO_CONTACT. */
function meet(lattice: Lattice, state: ParticleState, a: number, b: number): number {
  if (state.halves.length > 0) return faceShapes(lattice, state, a, b);
  const reach = (state.radii[a] as number) + (state.radii[b] as number);
  return reach - face(lattice, state.positions, a, b);
}

export function findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const { velocities } = state;
  const { approaches, partners } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    if (meet(lattice, state, a, b) === NO_CONTACT) continue;
    let approach = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const relative =
        (velocities[dimensions * a + axis] as number) - (velocities[dimensions * b + axis] as number);
      approach += relative * (normal[axis] as number);
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

/** The part of the relative velocity across the normal. */
const sliding = new Float64Array(3);

export function respond(pairs: SlotPairs, state: ParticleState, response: Response, substep: Substep): void {
  const { words, length, lattice } = pairs;
  const { dimensions } = lattice;
  const { velocities, bulks } = state;
  const { partners } = response;
  const bouncing = substep.restitution > 0;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const atA = dimensions * a;
    const atB = dimensions * b;
    const overlap = meet(lattice, state, a, b);
    if (overlap === NO_CONTACT) continue;
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
    const bulkA = bulks[a] as number;
    const bulkB = bulks[b] as number;
    const shareA = massShare(dimensions, bulkA, bulkB);
    const shareB = massShare(dimensions, bulkB, bulkA);
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
  const { bulks } = state;
  const { pushes } = response;
  for (let word = 0; word < length; word += 2) {
    const a = words[word] as number;
    const b = words[word + 1] as number;
    const overlap = meet(lattice, state, a, b);
    if (overlap === NO_CONTACT) continue;
    const push = 2 * substep.halfRelaxation * overlap;
    const pushA = massShare(dimensions, bulks[a] as number, bulks[b] as number) * push;
    const pushB = massShare(dimensions, bulks[b] as number, bulks[a] as number) * push;
    for (let axis = 0; axis < dimensions; axis++) {
      const along = normal[axis] as number;
      const atA = dimensions * a + axis;
      const atB = dimensions * b + axis;
      pushes[atA] = (pushes[atA] as number) + pushA * along;
      pushes[atB] = (pushes[atB] as number) - pushB * along;
    }
  }
}

/** How far from walls a slot keeps: its radius, or half of its edges. */
function loadMargin(dimensions: number, { radii, halves }: ParticleState, slot: number): void {
  const isBall = !((halves[dimensions * slot] as number) > 0);
  for (let axis = 0; axis < dimensions; axis++) {
    scratchMargin[axis] = (isBall ? radii[slot] : halves[dimensions * slot + axis]) as number;
  }
}

export function finish(state: ParticleState, live: number, response: Response, substep: Substep): void {
  const { positions, velocities } = state;
  const { pushes, changes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length as Dimensions;
  for (let slot = 0; slot < live; slot++) {
    const first = dimensions * slot;
    loadMargin(dimensions, state, slot);
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
      const margin = scratchMargin[axis] as number;
      if (position < (lower[axis] as number) + margin || position > (upper[axis] as number) - margin) {
        isInside = false;
      }
    }
    if (walls && !isInside) meetWalls(dimensions, substep, scratchMargin);
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
  const { positions } = state;
  const { pushes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length;
  for (let slot = 0; slot < live; slot++) {
    loadMargin(dimensions, state, slot);
    for (let axis = 0; axis < dimensions; axis++) {
      const place = dimensions * slot + axis;
      const position = (positions[place] as number) + (pushes[place] as number);
      pushes[place] = 0;
      const low = (lower[axis] as number) + (scratchMargin[axis] as number);
      const high = (upper[axis] as number) - (scratchMargin[axis] as number);
      positions[place] = walls ? Math.min(Math.max(position, low), high) : position;
    }
  }
}
