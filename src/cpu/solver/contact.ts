/**
 * Purpose: the parts of the contact law that are the same in 2D and 3D, or too rare to be worth writing twice;
 * the law itself is in core/contact/settings.ts, its formulas in shaders/solve/resolve.wgsl.
 */

import { NOT_A_NUMBER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { type Dimensions, GREATEST_SPEED } from '../../core/world/world';
import type { ParticleState } from '../shared/kernels';

/** Nearer than this the direction is noise; it is then taken from the two slots, which are canonical. */
export const COINCIDENT_SQUARED = 2 ** -100;

/** Numbers whose magnitudes add up to less are finite, as 32-bit floats too. */
export const GREATEST_PLAIN = 2 ** 127;

/** Component of the unit axis from slot `b` to the lower slot `a`, where both are in one place. */
export function coincidentNormal(a: number, b: number, axis: number, dimensions: Dimensions): number {
  return (a + b) % dimensions === axis ? -1 : 0;
}

/**
 * Change of the normal velocity in a contact that bears: it follows the push, but gives no more than a fall
 * through the world, or than this side's part in stopping the approach.
 */
export function bearingChange(
  pushVelocity: number,
  approach: number,
  pushSpeed: number,
  restSpeed: number,
  restitution: number,
  part = 0.5,
): number {
  const limit = approach > 0 ? pushSpeed : Math.max(pushSpeed, -part * approach);
  const kept = Math.abs(approach) > restSpeed ? 1 - restitution : 1;
  return Math.min(pushVelocity, limit) * kept;
}

/** The particle that meetWalls works on. */
export const scratchPosition = new Float64Array(3);
export const scratchVelocity = new Float64Array(3);

export function loadScratch(
  x: number,
  y: number,
  z: number,
  velocityX: number,
  velocityY: number,
  velocityZ: number,
): void {
  scratchPosition[0] = x;
  scratchPosition[1] = y;
  scratchPosition[2] = z;
  scratchVelocity[0] = velocityX;
  scratchVelocity[1] = velocityY;
  scratchVelocity[2] = velocityZ;
}

/** How much farther away from walls than `lower` and `upper` a particle keeps, along each axis. */
export const scratchMargin = new Float64Array(3);
const NO_MARGIN = new Float64Array(3);

/** Each wall in turn: position onto it, velocity as against an unmovable particle. */
export function meetWalls(dimensions: Dimensions, substep: Substep, margin = NO_MARGIN): void {
  const { lower, upper } = substep;
  for (let axis = 0; axis < dimensions; axis++) {
    meetWall(dimensions, axis, (lower[axis] as number) + (margin[axis] as number), 1, substep);
    meetWall(dimensions, axis, (upper[axis] as number) - (margin[axis] as number), -1, substep);
  }
  for (let axis = 0; axis < dimensions; axis++) {
    const position = scratchPosition[axis] as number;
    // Friction at one wall may have moved the particle past another.
    const low = (lower[axis] as number) + (margin[axis] as number);
    scratchPosition[axis] = Math.min(
      Math.max(position, low),
      (upper[axis] as number) - (margin[axis] as number),
    );
  }
}

function meetWall(
  dimensions: Dimensions,
  axis: number,
  limit: number,
  inward: number,
  substep: Substep,
): void {
  const depth = inward * (limit - (scratchPosition[axis] as number));
  if (!(depth > 0)) return;
  scratchPosition[axis] = limit;
  const approach = inward * (scratchVelocity[axis] as number);
  if (!(approach < 0)) return;
  const bounces = substep.restitution > 0 && approach < -substep.restSpeed;
  const change = bounces
    ? -(1 + substep.restitution) * approach
    : Math.min(depth * substep.inverseDt, -approach);
  let slidingSquared = 0;
  for (let along = 0; along < dimensions; along++) {
    if (along !== axis) slidingSquared += (scratchVelocity[along] as number) ** 2;
  }
  const sliding = Math.sqrt(slidingSquared);
  const braking = sliding > 0 ? Math.min(substep.friction * change, sliding) / sliding : 0;
  const held = bounces ? 0 : braking * substep.dt;
  for (let along = 0; along < dimensions; along++) {
    if (along === axis) continue;
    const speed = scratchVelocity[along] as number;
    scratchPosition[along] = (scratchPosition[along] as number) - held * speed;
    scratchVelocity[along] = speed - braking * speed;
  }
  scratchVelocity[axis] = (scratchVelocity[axis] as number) + inward * change;
}

/** Sets aside a particle that moved out of all range, if it did: its position becomes NaN. */
export function setAside(state: ParticleState, dimensions: Dimensions, slot: number): void {
  const first = dimensions * slot;
  let isTooFast = false;
  for (let word = first; word < first + dimensions; word++) {
    if (!(Math.abs(state.velocities[word] as number) < GREATEST_SPEED)) isTooFast = true;
  }
  if (isTooFast) state.positionWords.fill(NOT_A_NUMBER, first, first + dimensions);
  normaliseNotFinite(state, dimensions, slot);
}

/** Gives each component that is not a number the same bits, so that hashes do not depend on the processor. */
export function normaliseNotFinite(state: ParticleState, dimensions: Dimensions, slot: number): void {
  for (let word = dimensions * slot; word < dimensions * (slot + 1); word++) {
    if (Number.isNaN(state.positions[word])) state.positionWords[word] = NOT_A_NUMBER;
    if (Number.isNaN(state.velocities[word])) state.velocityWords[word] = NOT_A_NUMBER;
  }
}
