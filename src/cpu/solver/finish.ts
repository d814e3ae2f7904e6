/**
 * The end of a pass of the contact law (core/contact/law.ts) for each particle, in any world, in 2D and 3D. `finish`
 * limits the change of the velocity, applies static friction, moves the particle, applies obstacles and walls, and sets
 * the load.
 */
import { SATURATED } from '../../core/base/constants';
import { holdFactor, keptShare, loadOf, movingShare, restitutionOf } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';
import type { ParticleState } from '../shared/kernels';
import type { ObstacleContacts, Response } from './contact';
import { normaliseNotFinite } from './integrate';
import {
  loadScratch,
  meetWalls,
  NO_MARGIN,
  rub,
  scratchMargin,
  scratchPosition,
  scratchVelocity,
} from './walls';

/** If the magnitudes of several doubles add up to less than this, each is finite as a 32-bit float. */
const GREATEST_PLAIN = 2 ** 127;

/**
 * Ends a pass for the slots from `begin` up to `end`. Writes positions and velocities to `target`. Clears `response`
 * for these slots, except `approaches` and `partners`.
 */
export function finish(
  dimensions: Dimensions,
  state: ParticleState,
  begin: number,
  end: number,
  response: Response,
  substep: Substep,
  obstacles?: ObstacleContacts,
  target = state,
): void {
  const meetsObstacles = obstacles !== undefined && obstacles.count > 0;
  const moved = meetsObstacles ? { ...state, positions: target.positions } : state;
  const is3D = dimensions === 3;
  const { positions, velocities, radii, loads } = state;
  const { positions: newPositions, velocities: newVelocities } = target;
  const hasSizes = radii.length > 0;
  const { pushes, changes, supports, bearings, closings, depths, strains, marks } = response;
  const { gravity, dt, inverseDt, friction, restSpeed, restitution, lower, upper, walls } = substep;
  const lowerX = lower[0] as number;
  const lowerY = lower[1] as number;
  const lowerZ = is3D ? (lower[2] as number) : 0;
  const upperX = upper[0] as number;
  const upperY = upper[1] as number;
  const upperZ = is3D ? (upper[2] as number) : 0;
  const gainX = (gravity[0] as number) * dt;
  const gainY = (gravity[1] as number) * dt;
  const gainZ = is3D ? (gravity[2] as number) * dt : 0;
  for (let slot = begin; slot < end; slot++) {
    const first = dimensions * slot;
    let changeX = changes[first] as number;
    let changeY = changes[first + 1] as number;
    let changeZ = is3D ? (changes[first + 2] as number) : 0;
    changes[first] = 0;
    changes[first + 1] = 0;
    if (is3D) changes[first + 2] = 0;
    let pushX = 0;
    let pushY = 0;
    let pushZ = 0;
    let closing = 0;
    let depth = 0;
    let strain = 0;
    if (marks[slot] !== 0) {
      pushX = pushes[first] as number;
      pushY = pushes[first + 1] as number;
      if (is3D) pushZ = pushes[first + 2] as number;
      closing = closings[slot] as number;
      depth = depths[slot] as number;
      strain = strains[slot] as number;
      clearMarked(dimensions, response, slot);
    }
    pushX += dt * changeX;
    pushY += dt * changeY;
    if (is3D) pushZ += dt * changeZ;
    let kept = 1;
    if (depth + strain > 0) {
      const size = lengthOf(changeX, changeY, changeZ);
      if (size > 0) {
        kept = keptShare(size, closing, { depth, strain }, substep);
        changeX *= kept;
        changeY *= kept;
        changeZ *= kept;
      }
    }
    let bearing = 0;
    if (hasSizes) {
      bearing = kept * (bearings[slot] as number);
      bearings[slot] = 0;
    }
    const supportX = kept * (supports[first] as number);
    const supportY = kept * (supports[first + 1] as number);
    const supportZ = is3D ? kept * (supports[first + 2] as number) : 0;
    const weight = supportX * gainX + supportY * gainY + supportZ * gainZ;
    supports[first] = 0;
    supports[first + 1] = 0;
    if (is3D) supports[first + 2] = 0;
    if (weight < 0) {
      const supportSquared = supportX * supportX + supportY * supportY + supportZ * supportZ;
      // With G, C and S of law.ts, `slip` is |G across S| · |S|, and `used` is |C across S| · |S|.
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
      const held = holdFactor(supportSquared, used, slip, friction);
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
    const ownRestitution = hasSizes ? restitutionOf(restitution, loads[slot] as number) : restitution;
    if (meetsObstacles) {
      loadScratch(x, y, z, velocityX, velocityY, velocityZ);
      // The search takes positions from here.
      newPositions[first] = x;
      newPositions[first + 1] = y;
      if (is3D) newPositions[first + 2] = z;
      obstacles.meet(moved, slot, ownRestitution, substep);
      x = scratchPosition[0] as number;
      y = scratchPosition[1] as number;
      z = scratchPosition[2] as number;
    }
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
    if (meetsObstacles || (isOut && walls)) {
      const margin = hasSizes ? scratchMargin : NO_MARGIN;
      if (!meetsObstacles) loadScratch(x, y, z, velocityX, velocityY, velocityZ);
      if (isOut && walls) meetWalls(dimensions, substep, ownRestitution, margin);
      bearing += rub(dimensions, substep, margin);
      x = scratchPosition[0] as number;
      y = scratchPosition[1] as number;
      z = scratchPosition[2] as number;
      velocityX = scratchVelocity[0] as number;
      velocityY = scratchVelocity[1] as number;
      velocityZ = scratchVelocity[2] as number;
    }
    if (strain > 1 + SATURATED) {
      const excessX = pushX * inverseDt - changeX;
      const excessY = pushY * inverseDt - changeY;
      const excessZ = pushZ * inverseDt - changeZ;
      const along = excessX * velocityX + excessY * velocityY + excessZ * velocityZ;
      const squared = velocityX * velocityX + velocityY * velocityY + velocityZ * velocityZ;
      const moving = movingShare(strain, along, squared, substep.calmSpeed);
      velocityX *= moving;
      velocityY *= moving;
      velocityZ *= moving;
    }
    if (hasSizes) {
      const netX = velocityX - (velocities[first] as number);
      const netY = velocityY - (velocities[first + 1] as number);
      const netZ = is3D ? velocityZ - (velocities[first + 2] as number) : 0;
      loads[slot] = loadOf(bearing, lengthOf(netX, netY, netZ), restSpeed);
    }
    newPositions[first] = x;
    newPositions[first + 1] = y;
    newVelocities[first] = velocityX;
    newVelocities[first + 1] = velocityY;
    if (is3D) {
      newPositions[first + 2] = z;
      newVelocities[first + 2] = velocityZ;
    }
    const extent = Math.abs(x) + Math.abs(y) + Math.abs(z);
    const speed = Math.abs(velocityX) + Math.abs(velocityY) + Math.abs(velocityZ);
    if (!(extent + speed < GREATEST_PLAIN)) normaliseNotFinite(target, dimensions, slot);
  }
}

/** Sets a particle's mark, and the entries that only marked particles have, to zero. */
export function clearMarked(dimensions: Dimensions, response: Response, slot: number): void {
  const { pushes, closings, depths, strains, marks } = response;
  marks[slot] = 0;
  closings[slot] = 0;
  depths[slot] = 0;
  strains[slot] = 0;
  for (let entry = dimensions * slot; entry < dimensions * (slot + 1); entry++) pushes[entry] = 0;
}

/** Ends a pass that pushes apart: applies `pushes`, then keeps positions inside the walls. Sets `pushes` to zero. */
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
 * Sets scratchMargin to the distance that a particle's centre keeps from `lower` and `upper` along each axis. It is 0
 * if all particles have one radius, because `lower` and `upper` then include the radius.
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
