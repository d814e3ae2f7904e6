/**
 * The contact law at walls, and the friction of obstacles and walls (core/contact/law.ts), for one particle per call.
 * Few particles are at a wall, so a loop over axes is cheap enough.
 */
import { bounceChange, frictionShare, wallChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';

/** The particle that obstacles and walls change. */
export const scratchPosition = new Float64Array(3);
export const scratchVelocity = new Float64Array(3);
/** The velocity across the normals of obstacles and walls that press on the particle. Friction can take it away. */
export const scratchSliding = new Float64Array(3);
/** How much obstacles and walls press on the particle (law.ts), and whether any of them bounces it. */
export const pressing = { sum: 0, isBounce: false };

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
  scratchSliding[0] = velocityX;
  scratchSliding[1] = velocityY;
  scratchSliding[2] = velocityZ;
  pressing.sum = 0;
  pressing.isBounce = false;
}

/** Returns the change of the normal velocity at a wall or an obstacle. `approach` is below 0. */
export function fixedChange(
  depth: number,
  approach: number,
  isBounce: boolean,
  restitution: number,
  { inverseDt }: Substep,
): number {
  return isBounce ? bounceChange(approach, 1, restitution) : wallChange(depth * inverseDt, approach);
}

export function bouncesOffWall(approach: number, restitution: number, { restSpeed }: Substep): boolean {
  return restitution > 0 && approach < -restSpeed;
}

/** Distance that a particle keeps from `lower` and `upper`, per axis. */
export const scratchMargin = new Float64Array(3);
export const NO_MARGIN = new Float64Array(3);

/** Moves the particle inside the walls, and changes its velocity along their normals. */
export function meetWalls(
  dimensions: Dimensions,
  substep: Substep,
  restitution: number,
  margin: Float64Array,
): void {
  const { lower, upper } = substep;
  for (let axis = 0; axis < dimensions; axis++) {
    const low = (lower[axis] as number) + (margin[axis] as number);
    const high = (upper[axis] as number) - (margin[axis] as number);
    meetWall(axis, low, 1, substep, restitution);
    meetWall(axis, high, -1, substep, restitution);
  }
}

function meetWall(axis: number, limit: number, inward: number, substep: Substep, restitution: number): void {
  const depth = inward * (limit - (scratchPosition[axis] as number));
  if (!(depth > 0)) return;
  scratchPosition[axis] = limit;
  const approach = inward * (scratchVelocity[axis] as number);
  if (!(approach < 0)) return;
  const isBounce = bouncesOffWall(approach, restitution, substep);
  const change = fixedChange(depth, approach, isBounce, restitution, substep);
  scratchVelocity[axis] = (scratchVelocity[axis] as number) + inward * change;
  scratchSliding[axis] = 0;
  pressing.sum += change;
  pressing.isBounce ||= isBounce;
}

/** Applies the friction of all obstacles and walls. Returns how much they press. */
export function rub(dimensions: Dimensions, substep: Substep, margin: Float64Array): number {
  const { sum, isBounce } = pressing;
  if (!(sum > 0)) return 0;
  const { lower, upper, walls, friction, dt } = substep;
  let slidingSquared = 0;
  for (let axis = 0; axis < dimensions; axis++) slidingSquared += (scratchSliding[axis] as number) ** 2;
  const braking = frictionShare(sum, slidingSquared, 1, friction);
  const frictionPush = isBounce ? 0 : braking * dt;
  for (let axis = 0; axis < dimensions; axis++) {
    const sliding = scratchSliding[axis] as number;
    const position = (scratchPosition[axis] as number) - frictionPush * sliding;
    scratchVelocity[axis] = (scratchVelocity[axis] as number) - braking * sliding;
    // Friction may have moved the particle past a wall.
    const low = (lower[axis] as number) + (margin[axis] as number);
    const high = (upper[axis] as number) - (margin[axis] as number);
    scratchPosition[axis] = walls ? Math.min(Math.max(position, low), high) : position;
  }
  return sum;
}
