/**
 * Advances the particles in the slots from `begin` up to `end` by one substep, velocity first (symplectic Euler).
 * Particles whose position is not finite keep their bits. Particles that become too fast are quarantined.
 */
import { NOT_A_NUMBER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import { type Dimensions, GREATEST_SPEED } from '../../core/world/world';
import type { ParticleState } from '../shared/kernels';

export function integrate(
  dimensions: Dimensions,
  state: ParticleState,
  begin: number,
  end: number,
  substep: Substep,
): void {
  if (dimensions === 2) integrate2D(state, begin, end, substep);
  else integrate3D(state, begin, end, substep);
}

function integrate2D(state: ParticleState, begin: number, end: number, substep: Substep): void {
  const { positions, velocities } = state;
  const { dt } = substep;
  const gainX = (substep.gravity[0] as number) * dt;
  const gainY = (substep.gravity[1] as number) * dt;
  for (let slot = begin; slot < end; slot++) {
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    if (x - x + (y - y) !== 0) continue;
    const speedX = (velocities[2 * slot] as number) + gainX;
    const speedY = (velocities[2 * slot + 1] as number) + gainY;
    const newX = Math.fround(x + speedX * dt);
    const newY = Math.fround(y + speedY * dt);
    velocities[2 * slot] = speedX;
    velocities[2 * slot + 1] = speedY;
    positions[2 * slot] = newX;
    positions[2 * slot + 1] = newY;
    if (!(Math.abs(newX) + Math.abs(newY) + Math.abs(speedX) + Math.abs(speedY) < GREATEST_SPEED)) {
      quarantineIfTooFast(state, 2, slot);
    }
  }
}

function integrate3D(state: ParticleState, begin: number, end: number, substep: Substep): void {
  const { positions, velocities } = state;
  const { dt } = substep;
  const gainX = (substep.gravity[0] as number) * dt;
  const gainY = (substep.gravity[1] as number) * dt;
  const gainZ = (substep.gravity[2] as number) * dt;
  for (let slot = begin; slot < end; slot++) {
    const x = positions[3 * slot] as number;
    const y = positions[3 * slot + 1] as number;
    const z = positions[3 * slot + 2] as number;
    if (x - x + (y - y) + (z - z) !== 0) continue;
    const speedX = (velocities[3 * slot] as number) + gainX;
    const speedY = (velocities[3 * slot + 1] as number) + gainY;
    const speedZ = (velocities[3 * slot + 2] as number) + gainZ;
    const newX = Math.fround(x + speedX * dt);
    const newY = Math.fround(y + speedY * dt);
    const newZ = Math.fround(z + speedZ * dt);
    velocities[3 * slot] = speedX;
    velocities[3 * slot + 1] = speedY;
    velocities[3 * slot + 2] = speedZ;
    positions[3 * slot] = newX;
    positions[3 * slot + 1] = newY;
    positions[3 * slot + 2] = newZ;
    const extent = Math.abs(newX) + Math.abs(newY) + Math.abs(newZ);
    if (!(extent + Math.abs(speedX) + Math.abs(speedY) + Math.abs(speedZ) < GREATEST_SPEED)) {
      quarantineIfTooFast(state, 3, slot);
    }
  }
}

/** Sets the position to NaN if the speed is out of range. Normalises NaNs in any case. */
function quarantineIfTooFast(state: ParticleState, dimensions: Dimensions, slot: number): void {
  const first = dimensions * slot;
  let isTooFast = false;
  for (let word = first; word < first + dimensions; word++) {
    if (!(Math.abs(state.velocities[word] as number) < GREATEST_SPEED)) isTooFast = true;
  }
  if (isTooFast) state.positionWords.fill(NOT_A_NUMBER, first, first + dimensions);
  normaliseNotFinite(state, dimensions, slot);
}

/** Gives every NaN the same bits, so that hashes do not depend on the processor. */
export function normaliseNotFinite(state: ParticleState, dimensions: Dimensions, slot: number): void {
  for (let word = dimensions * slot; word < dimensions * (slot + 1); word++) {
    if (Number.isNaN(state.positions[word])) state.positionWords[word] = NOT_A_NUMBER;
    if (Number.isNaN(state.velocities[word])) state.velocityWords[word] = NOT_A_NUMBER;
  }
}
