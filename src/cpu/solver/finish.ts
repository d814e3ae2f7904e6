/**
 * Ends a pass of the contact law: limits velocity changes, applies static friction, motion and walls, and sets loads.
 */
import { changeLimit, holdFactor, loadOf } from '../../core/contact/pass-law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState } from '../shared/kernels';
import { GREATEST_PLAIN, type Response } from './contact';
import { normaliseNotFinite } from './integrate';
import { loadScratch, meetWalls, scratchMargin, scratchPosition, scratchVelocity } from './walls';

/** Sets the response to zero, except `approaches` and `partners`. */
export function finish(
  dimensions: Dimensions,
  state: ParticleState,
  activeCount: number,
  response: Response,
  substep: Substep,
): void {
  const is3D = dimensions === 3;
  const { positions, velocities, radii, loads } = state;
  const hasSizes = radii.length > 0;
  const { pushes, changes, supports, bearings, closings } = response;
  const { gravity, dt, friction, restSpeed, lower, upper, walls } = substep;
  const lowerX = lower[0] as number;
  const lowerY = lower[1] as number;
  const lowerZ = is3D ? (lower[2] as number) : 0;
  const upperX = upper[0] as number;
  const upperY = upper[1] as number;
  const upperZ = is3D ? (upper[2] as number) : 0;
  const gainX = (gravity[0] as number) * dt;
  const gainY = (gravity[1] as number) * dt;
  const gainZ = is3D ? (gravity[2] as number) * dt : 0;
  for (let slot = 0; slot < activeCount; slot++) {
    const first = dimensions * slot;
    let changeX = changes[first] as number;
    let changeY = changes[first + 1] as number;
    let changeZ = is3D ? (changes[first + 2] as number) : 0;
    let pushX = (pushes[first] as number) + dt * changeX;
    let pushY = (pushes[first + 1] as number) + dt * changeY;
    let pushZ = is3D ? (pushes[first + 2] as number) + dt * changeZ : 0;
    changes[first] = 0;
    changes[first + 1] = 0;
    pushes[first] = 0;
    pushes[first + 1] = 0;
    if (is3D) {
      changes[first + 2] = 0;
      pushes[first + 2] = 0;
    }
    let supportX = supports[first] as number;
    let supportY = supports[first + 1] as number;
    let supportZ = is3D ? (supports[first + 2] as number) : 0;
    supports[first] = 0;
    supports[first + 1] = 0;
    if (is3D) supports[first + 2] = 0;
    const closing = closings[slot] as number;
    closings[slot] = 0;
    let bearing = bearings[slot] as number;
    bearings[slot] = 0;
    // Otherwise there was at most a bounce, which the limit does not shorten.
    if (bearing !== 0) {
      const limit = changeLimit(closing, substep);
      const squared = changeX * changeX + changeY * changeY + changeZ * changeZ;
      if (squared > limit * limit) {
        const kept = limit / Math.sqrt(squared);
        changeX *= kept;
        changeY *= kept;
        changeZ *= kept;
        supportX *= kept;
        supportY *= kept;
        supportZ *= kept;
        bearing *= kept;
      }
      const weight = supportX * gainX + supportY * gainY + supportZ * gainZ;
      const supportSquared = supportX * supportX + supportY * supportY + supportZ * supportZ;
      // The lengths of the gain by gravity and of the change across the support, times the support's length.
      let slip = Math.abs(supportX * gainY - supportY * gainX);
      let used = Math.abs(supportX * changeY - supportY * changeX);
      if (is3D) {
        slip = lengthOf(supportY * gainZ - supportZ * gainY, supportZ * gainX - supportX * gainZ, slip);
        used = lengthOf(
          supportY * changeZ - supportZ * changeY,
          supportZ * changeX - supportX * changeZ,
          used,
        );
      }
      const held = weight < 0 ? holdFactor(supportSquared, bearing, used, slip, friction) : 0;
      if (held > 0) {
        const heldX = held * (supportSquared * gainX - weight * supportX);
        const heldY = held * (supportSquared * gainY - weight * supportY);
        const heldZ = held * (supportSquared * gainZ - weight * supportZ);
        changeX -= heldX;
        changeY -= heldY;
        changeZ -= heldZ;
        pushX -= dt * heldX;
        pushY -= dt * heldY;
        pushZ -= dt * heldZ;
      }
    }
    let x = (positions[first] as number) + pushX;
    let y = (positions[first + 1] as number) + pushY;
    let z = is3D ? (positions[first + 2] as number) + pushZ : 0;
    let velocityX = (velocities[first] as number) + changeX;
    let velocityY = (velocities[first + 1] as number) + changeY;
    let velocityZ = is3D ? (velocities[first + 2] as number) + changeZ : 0;
    if (hasSizes) loadMargin(dimensions, state, slot);
    const marginX = hasSizes ? (scratchMargin[0] as number) : 0;
    const marginY = hasSizes ? (scratchMargin[1] as number) : 0;
    const marginZ = is3D && hasSizes ? (scratchMargin[2] as number) : 0;
    const isOut =
      x < lowerX + marginX ||
      x > upperX - marginX ||
      y < lowerY + marginY ||
      y > upperY - marginY ||
      z < lowerZ + marginZ ||
      z > upperZ - marginZ;
    if (walls && isOut) {
      loadScratch(x, y, z, velocityX, velocityY, velocityZ);
      bearing += meetWalls(dimensions, substep, hasSizes ? scratchMargin : undefined);
      x = scratchPosition[0] as number;
      y = scratchPosition[1] as number;
      z = scratchPosition[2] as number;
      velocityX = scratchVelocity[0] as number;
      velocityY = scratchVelocity[1] as number;
      velocityZ = scratchVelocity[2] as number;
    }
    if (hasSizes) {
      const netX = velocityX - (velocities[first] as number);
      const netY = velocityY - (velocities[first + 1] as number);
      const netZ = is3D ? velocityZ - (velocities[first + 2] as number) : 0;
      loads[slot] = loadOf(bearing, lengthOf(netX, netY, netZ), restSpeed);
    }
    positions[first] = x;
    positions[first + 1] = y;
    velocities[first] = velocityX;
    velocities[first + 1] = velocityY;
    if (is3D) {
      positions[first + 2] = z;
      velocities[first + 2] = velocityZ;
    }
    const extent = Math.abs(x) + Math.abs(y) + Math.abs(z);
    const speed = Math.abs(velocityX) + Math.abs(velocityY) + Math.abs(velocityZ);
    if (!(extent + speed < GREATEST_PLAIN)) normaliseNotFinite(state, dimensions, slot);
  }
}

/** Ends a pass that pushes apart. Sets `pushes` to zero. */
export function finishPushApart(
  state: ParticleState,
  activeCount: number,
  response: Response,
  substep: Substep,
): void {
  const { positions } = state;
  const { pushes } = response;
  const { lower, upper, walls } = substep;
  const dimensions = lower.length;
  for (let slot = 0; slot < activeCount; slot++) {
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

/**
 * Sets scratchMargin to the distance that a particle's centre keeps from `lower` and `upper`: a ball's radius, or half
 * of a box's edge. With one radius it is 0, because `lower` and `upper` include it.
 */
function loadMargin(dimensions: number, { radii, halves }: ParticleState, slot: number): void {
  const isBall = !((halves[dimensions * slot] as number) > 0);
  const radius = radii.length > 0 ? (radii[slot] as number) : 0;
  for (let axis = 0; axis < dimensions; axis++) {
    scratchMargin[axis] = isBall ? radius : (halves[dimensions * slot + axis] as number);
  }
}

function lengthOf(x: number, y: number, z: number): number {
  return Math.sqrt(x * x + y * y + z * z);
}
