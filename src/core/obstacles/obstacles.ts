/** Obstacles: how callers give them, how several of them share a push, and how continuous motion names them. */

import { checkKnownKeys, checkPacked } from '../base/checks';
import { ArgumentError, describeCount, Phrase } from '../base/errors';
import { defineShapes, describeSizes, isBox, type Sizes } from '../particles/shapes';
import { checkSizes, type GivenSizes, refuseHalfExtents, type SizeRules } from '../particles/sizes';
import { type Bounds, checkInside, DEFAULT_BOX } from '../world/bounds';
import { wrapPositions } from '../world/cells';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER, type World } from '../world/world';
import { canonicalBodies, type StaticBodies } from './tree';

/**
 * In continuous motion, a partner that is an obstacle is this number plus the obstacle's slot. The sum never equals
 * NO_PARTNER.
 */
export const OBSTACLE_PARTNER = 0x8000_0000;

/**
 * Obstacles with sizes, for simulations whose particles have sizes. The radii may lie outside the particles'
 * `radiusRange`.
 */
export interface ObstacleBodies extends GivenSizes {
  /** `dimensions` numbers per obstacle. */
  readonly positions: Float32Array;
}

/** Obstacles: packed positions, or an object with positions and sizes. */
export type ObstaclesGiven = Float32Array | ObstacleBodies;

export const NO_OBSTACLES: StaticBodies = { positions: new Float32Array(0) };

/** Checks and copies obstacles. The result is in the engines' form and shares no array with `given`. */
export function readObstacles(
  argument: string,
  given: ObstaclesGiven,
  capacity: number,
  rules: SizeRules,
): StaticBodies {
  const isPacked = ArrayBuffer.isView(given);
  if (!isPacked && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    throw new ArgumentError(
      argument,
      given,
      'a Float32Array of positions, or an object with positions and sizes',
    );
  }
  if (!isPacked) checkKnownKeys(argument, given, ['positions', 'radii', 'halfExtents']);
  const { positions, radii, halfExtents }: ObstacleBodies = isPacked ? { positions: given } : given;
  const { dimensions } = rules;
  const count = Math.floor((positions?.length ?? 0) / dimensions);
  checkPacked(isPacked ? argument : `${argument}.positions`, positions, count, dimensions);
  if (count > capacity) {
    const accepted = `at most ${describeCount(capacity, 'obstacle')} (the obstacleCapacity of the simulation)`;
    throw new ArgumentError(argument, new Phrase(describeCount(count, 'obstacle')), accepted);
  }
  if (count === 0) return NO_OBSTACLES;
  if (!rules.radiusRange) {
    if (halfExtents !== undefined) refuseHalfExtents(`${argument}.halfExtents`, halfExtents);
    if (radii !== undefined) {
      const accepted = 'left out, since all particles of this simulation have one radius';
      throw new ArgumentError(`${argument}.radii`, radii, accepted);
    }
    return { positions: positions.slice() };
  }
  if (isPacked) {
    const accepted = 'an object with positions and radii, since each particle has its own radius';
    throw new ArgumentError(argument, given, accepted);
  }
  const { boxes } = rules;
  const sizes = checkSizes(`${argument}.`, { radii, halfExtents }, count, { dimensions, boxes });
  checkRadii(`${argument}.radii`, dimensions, sizes);
  return { positions: positions.slice(), ...sizes, radii: sizes.radii.slice() };
}

function checkRadii(argument: string, dimensions: Dimensions, { radii, halves }: Sizes): void {
  const [smallest, largest] = [SMALLEST_DIAMETER / 2, LARGEST_DIAMETER / 2];
  radii?.forEach((radius, body) => {
    if (halves && isBox(dimensions, halves, body)) return;
    if (radius >= smallest && radius <= largest) return;
    throw new ArgumentError(`${argument}[${body}]`, radius, `from ${smallest} to ${largest}`);
  });
}

/**
 * Throws if two images of one obstacle could touch the same particle: if the obstacle and the largest particle together
 * are longer than a period. A box that fills the axis is endless, which is allowed.
 */
export function checkObstaclesFit(
  argument: string,
  { radii, halves }: Sizes,
  { dimensions, period, diameter }: World,
): void {
  if (!radii || period.every((length) => length === 0)) return;
  for (let body = 0; body < radii.length; body++) {
    const box = halves && isBox(dimensions, halves, body) ? halves : undefined;
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      const half = (box ? box[dimensions * body + axis] : radii[body]) as number;
      const room = (length - diameter) / 2;
      if (length === 0 || half <= room || (box && half >= length / 2)) continue;
      const name = box ? `halfExtents[${dimensions * body + axis}]` : `radii[${body}]`;
      const endless = box ? `, or at least ${length / 2} for a box that is endless along this axis` : '';
      const accepted = `at most ${room} (half of the period along axis ${axis}, minus the largest radius)${endless}`;
      throw new ArgumentError(`${argument}.${name}`, half, accepted);
    }
  }
}

export function obstaclesOf({
  obstacles,
}: {
  readonly obstacles?: ObstaclesGiven | undefined;
}): ObstaclesGiven {
  return obstacles === undefined ? new Float32Array(0) : obstacles;
}

/**
 * Calls readObstacles, and also checks that the obstacles fit the world. `defaultBox` is the world's box if the user
 * chose no box: then the centres of obstacles must be inside.
 */
export function checkObstacles(
  given: ObstaclesGiven,
  {
    obstacleCapacity,
    world,
    ...rules
  }: SizeRules & { readonly world: World; readonly obstacleCapacity: number },
  argument = 'obstacles',
  defaultBox?: Bounds,
): StaticBodies {
  const obstacles = readObstacles(argument, given, obstacleCapacity, rules);
  checkObstaclesFit(argument, obstacles, world);
  if (defaultBox) {
    const positions = given instanceof Float32Array ? argument : `${argument}.positions`;
    checkInside(obstacles.positions, defaultBox, DEFAULT_BOX, positions, 'obstacle');
  }
  return obstacles;
}

export function describeObstacles(dimensions: Dimensions, bodies: StaticBodies): ObstaclesGiven {
  const positions = bodies.positions.slice();
  const { radii, halfExtents } = describeSizes(dimensions, bodies);
  if (!radii) return positions;
  // Copy the arrays, because the caller may change them.
  return { positions, radii: radii.slice(), ...(halfExtents ? { halfExtents: halfExtents.slice() } : {}) };
}

/**
 * Wraps positions. Lengthens endless boxes, so that the shortest way out never leads along an endless axis. Sorts
 * obstacles without sizes; the tree sorts those with sizes.
 */
export function wrapObstacles(world: World, given: StaticBodies): StaticBodies {
  const { dimensions, period } = world;
  const wrapped = { ...given, positions: wrapPositions(world, given.positions) };
  const { radii, halfExtents } = describeSizes(dimensions, wrapped);
  if (!radii) return canonicalBodies(dimensions, wrapped);
  if (!halfExtents) return wrapped;
  const isEndless = (index: number) => {
    const length = period[index % dimensions] as number;
    return length > 0 && (halfExtents[index] as number) >= length / 2;
  };
  const lengthened = halfExtents.map((half, index) => {
    if (!isEndless(index)) return half;
    const first = index - (index % dimensions);
    const ways = period.map((_, axis) =>
      isEndless(first + axis) ? 0 : (halfExtents[first + axis] as number),
    );
    return Math.max(half, (period[index % dimensions] as number) + Math.max(...ways));
  });
  return { positions: wrapped.positions, ...defineShapes(dimensions, radii, lengthened) };
}

/**
 * Returns the factor on the sum of the pushes by obstacles. `deepest` is a particle's deepest overlap with an obstacle;
 * `sum` is the sum of its overlaps with obstacles.
 */
export function obstacleShare(deepest: number, sum: number): number {
  return sum > deepest ? deepest / sum : 1;
}
