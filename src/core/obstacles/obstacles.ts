/**
 * Purpose: what the engines agree on about obstacles, the particles of a simulation that never move: how they are given
 * and checked, how a particle is shared by several of them, and how it names the one it bounces off. The contact law is
 * in core/contact/settings.ts.
 */

import { checkKnownKeys, checkPacked } from '../base/checks';
import { ArgumentError, describeCount, Phrase } from '../base/errors';
import { defineShapes, describeSizes, isBox, type Sizes } from '../particles/shapes';
import { checkSizes, type GivenSizes, refuseHalfExtents, type SizeRules } from '../particles/sizes';
import { wrapPositions } from '../world/cells';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER, type World } from '../world/world';
import { inOrder, type StaticBodies } from './tree';

/** Set in the slot that a particle names as its partner where that is an obstacle's. NO_PARTNER is nobody's slot. */
export const OBSTACLE_PARTNER = 0x8000_0000;

/** Obstacles that have sizes of their own, where particles have: any sizes, whatever those of particles may be. */
export interface ObstacleBodies extends GivenSizes {
  readonly positions: Float32Array;
}

/** Packed positions, or with sizes. */
export type ObstaclesGiven = Float32Array | ObstacleBodies;

export const NO_OBSTACLES: StaticBodies = { positions: new Float32Array(0) };

/** Obstacles as the engines hold them, at most `capacity` and none of them shared with the caller, or an error. */
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
      'a Float32Array of positions, or an object of positions and sizes',
    );
  }
  if (!isPacked) checkKnownKeys(argument, given, ['positions', 'radii', 'halfExtents']);
  const { positions, radii, halfExtents }: ObstacleBodies = isPacked ? { positions: given } : given;
  const { dimensions } = rules;
  const count = Math.floor((positions?.length ?? 0) / dimensions);
  checkPacked(isPacked ? argument : `${argument}.positions`, positions, count, dimensions);
  if (count > capacity) {
    const accepted = `at most ${describeCount(capacity)} (the obstacleCapacity of the simulation)`;
    throw new ArgumentError(argument, new Phrase(describeCount(count)), accepted);
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
    const accepted = 'an object of positions and radii, since particles have radii of their own';
    throw new ArgumentError(argument, given, accepted);
  }
  const { boxes } = rules;
  const sizes = checkSizes(`${argument}.`, { radii, halfExtents }, count, { dimensions, boxes });
  checkRadii(`${argument}.radii`, dimensions, sizes);
  return { positions: positions.slice(), ...sizes, radii: sizes.radii.slice() };
}

/** What the numbers of every engine can tell apart. */
function checkRadii(argument: string, dimensions: Dimensions, { radii, halves }: Sizes): void {
  const [smallest, largest] = [SMALLEST_DIAMETER / 2, LARGEST_DIAMETER / 2];
  radii?.forEach((radius, body) => {
    if (halves && isBox(dimensions, halves, body)) return;
    if (radius >= smallest && radius <= largest) return;
    throw new ArgumentError(`${argument}[${body}]`, radius, `from ${smallest} to ${largest}`);
  });
}

/**
 * An error where an obstacle with a size of its own could be met by two of its images at once: along an axis that wraps
 * around it and the largest particle are at most as long as the period, or it is a box without an end there, of half the
 * period or more.
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
      const place = box ? `halfExtents[${dimensions * body + axis}]` : `radii[${body}]`;
      const endless = box ? `, or at least ${length / 2}, that of a box without an end` : '';
      const accepted = `at most ${room}, half of what the largest particle leaves of the period along axis ${axis}${endless}`;
      throw new ArgumentError(`${argument}.${place}`, half, accepted);
    }
  }
}

/** Those of options or of a checkpoint, which may have none. */
export function obstaclesOf({
  obstacles,
}: {
  readonly obstacles?: ObstaclesGiven | undefined;
}): ObstaclesGiven {
  return obstacles === undefined ? new Float32Array(0) : obstacles;
}

/** Obstacles of a simulation as the engines hold them, or an error. */
export function checkObstacles(
  given: ObstaclesGiven,
  {
    obstacleCapacity,
    world,
    ...rules
  }: SizeRules & { readonly world: World; readonly obstacleCapacity: number },
  argument = 'obstacles',
): StaticBodies {
  const obstacles = readObstacles(argument, given, obstacleCapacity, rules);
  checkObstaclesFit(argument, obstacles, world);
  return obstacles;
}

/** As they are given, from what the engines hold. */
export function describeObstacles(dimensions: Dimensions, bodies: StaticBodies): ObstaclesGiven {
  const positions = bodies.positions.slice();
  const { radii, halfExtents } = describeSizes(dimensions, bodies);
  if (!radii) return positions;
  // Copies, of which the caller may do with what it likes.
  return { positions, radii: radii.slice(), ...(halfExtents ? { halfExtents: halfExtents.slice() } : {}) };
}

/**
 * In the world: what is outside of one that wraps around is brought in, and a box without an end is so long that the
 * shortest way out of it is never along it. Those of one radius come in an order that does not depend on the one they were
 * given in; others are put in order by their tree.
 */
export function carryObstacles(world: World, given: StaticBodies): StaticBodies {
  const { dimensions, period } = world;
  const carried = { ...given, positions: wrapPositions(world, given.positions) };
  const { radii, halfExtents } = describeSizes(dimensions, carried);
  if (!radii) return inOrder(dimensions, carried);
  if (!halfExtents) return carried;
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
  return { positions: carried.positions, ...defineShapes(dimensions, radii, lengthened) };
}

/** What each overlapped obstacle does of what it would do alone: by the deepest overlap and the sum of all. */
export function obstacleShare(deepest: number, sum: number): number {
  return sum > deepest ? deepest / sum : 1;
}
