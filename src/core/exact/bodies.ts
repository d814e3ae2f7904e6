/** Checks and converts the particles and obstacles that an exact simulation is given as floats. */
import { ArgumentError } from '../base/errors';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { StaticBodies } from '../obstacles/tree';
import type { Dimensions } from '../world/world';
import { FASTEST, type Quanta, REACH } from './quanta';

export interface FloatBodies {
  readonly positions?: Float32Array | undefined;
  readonly velocities?: Float32Array | undefined;
}

/** Returns the nearest position in quanta. */
export function toPosition({ origin, length }: Quanta, position: number, axis: number): number {
  return Math.round((position - (origin[axis] as number)) / length);
}

/** Returns the nearest velocity in quanta per second. */
export function toVelocity({ length }: Quanta, velocity: number): number {
  return Math.round(velocity / length);
}

/** Throws if a position or velocity is beyond what an exact simulation can hold. */
export function checkExactBodies(
  quanta: Quanta,
  { positions, velocities }: FloatBodies,
  dimensions: Dimensions,
): void {
  if (positions) checkPositions(quanta, positions, dimensions, (index) => `positions[${index}]`);
  velocities?.forEach((velocity, index) => {
    if (Math.abs(toVelocity(quanta, velocity)) <= FASTEST) return;
    const accepted = `at most ${FASTEST * quanta.length} in magnitude in this exact simulation`;
    throw new ArgumentError(`velocities[${index}]`, velocity, accepted);
  });
}

/** Throws if an obstacle's position is beyond what an exact simulation can hold. */
export function checkExactObstacles(
  quanta: Quanta,
  given: ObstaclesGiven | StaticBodies,
  argument = 'obstacles',
): void {
  const [positions, field] = given instanceof Float32Array ? [given, ''] : [given.positions, '.positions'];
  const dimensions = quanta.origin.length;
  const nameOf = (index: number) =>
    `${argument}${field}[${index}] (obstacle ${Math.floor(index / dimensions)})`;
  checkPositions(quanta, positions, dimensions, nameOf);
}

function checkPositions(
  quanta: Quanta,
  positions: Float32Array,
  dimensions: number,
  nameOf: (index: number) => string,
): void {
  positions.forEach((position, index) => {
    const axis = index % dimensions;
    const value = toPosition(quanta, position, axis);
    if (value >= -REACH && value < REACH) return;
    const low = quanta.origin[axis] as number;
    const accepted = `from ${low - REACH * quanta.length} to below ${low + REACH * quanta.length} in this exact simulation`;
    throw new ArgumentError(nameOf(index), position, accepted);
  });
}
