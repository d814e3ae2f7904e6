/**
 * The contact law at walls (core/contact/law.ts), for one particle per call, in 2D and 3D. Few particles are at a wall,
 * so a loop over axes is cheap enough.
 */
import { bounceChange, frictionShare, wallChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import type { Dimensions } from '../../core/world/world';

/** The particle that meetWalls changes. */
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

/** Distance that a particle keeps from `lower` and `upper`, per axis. */
export const scratchMargin = new Float64Array(3);
const NO_MARGIN = new Float64Array(3);

/** Returns the sum of the changes of the normal velocity. */
export function meetWalls(
  dimensions: Dimensions,
  substep: Substep,
  restitution: number,
  margin = NO_MARGIN,
): number {
  const { lower, upper } = substep;
  let bearing = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const low = (lower[axis] as number) + (margin[axis] as number);
    const high = (upper[axis] as number) - (margin[axis] as number);
    bearing += meetWall(dimensions, axis, low, 1, substep, restitution);
    bearing += meetWall(dimensions, axis, high, -1, substep, restitution);
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
  return bearing;
}

/** Returns the change of the normal velocity. */
function meetWall(
  dimensions: Dimensions,
  axis: number,
  limit: number,
  inward: number,
  substep: Substep,
  restitution: number,
): number {
  const depth = inward * (limit - (scratchPosition[axis] as number));
  if (!(depth > 0)) return 0;
  scratchPosition[axis] = limit;
  const approach = inward * (scratchVelocity[axis] as number);
  if (!(approach < 0)) return 0;
  const bounces = restitution > 0 && approach < -substep.restSpeed;
  const change = bounces
    ? bounceChange(approach, 1, restitution)
    : wallChange(depth * substep.inverseDt, approach);
  let slidingSquared = 0;
  for (let along = 0; along < dimensions; along++) {
    if (along !== axis) slidingSquared += (scratchVelocity[along] as number) ** 2;
  }
  const braking = frictionShare(change, slidingSquared, 1, substep.friction);
  const frictionPush = bounces ? 0 : braking * substep.dt;
  for (let along = 0; along < dimensions; along++) {
    if (along === axis) continue;
    const speed = scratchVelocity[along] as number;
    scratchPosition[along] = (scratchPosition[along] as number) - frictionPush * speed;
    scratchVelocity[along] = speed - braking * speed;
  }
  scratchVelocity[axis] = (scratchVelocity[axis] as number) + inward * change;
  return change;
}
