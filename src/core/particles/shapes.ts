/**
 * Purpose: what bodies that are boxes have in common on every engine: how they are given, filed and weighed.
 * A body is a ball (in the plane a disc) of its own radius, or a box whose edges lie along the axes, given by half of each:
 * its half extents. The grid files both by the ball around them; where two come to lie over each other is told by what
 * follows, which is right for any two of them.
 *
 * With h the sum of the half extents of two (0 of a ball), r the sum of the radii (0 of a box) and d from the centre of the
 * one to the centre of the other: all places of the one's centre at which they overlap are a box of half extents h,
 * rounded by r, around the other. So with b = |d| − h and o = max(b, 0), by axis,
 *   - where o is not 0, they overlap by r − |o|, and the shortest way out is along o;
 *   - where it is 0, they overlap by r − (the greatest of b), and the shortest way out is along its axis, of equal ones
 *     along the first; where centres are not apart along it, the higher slot goes up.
 */
import { ArgumentError } from '../base/errors';
import type { RangeLabels } from '../world/level-world';
import {
  type Dimensions,
  LARGEST_DIAMETER,
  type RadiusRange,
  SMALLEST_DIAMETER,
  type World,
} from '../world/world';

const { fround } = Math;

/** Nearer than this along an axis, two centres are not apart. */
export const NOT_APART = 2 ** -50;

/** Half extents are no smaller: of what is, devices may make 0. */
const THINNEST = SMALLEST_DIAMETER / 2;

/** Bodies of which some may be boxes. */
export interface Shapes {
  /** Of a ball; of the ball around a box. */
  readonly radii: Float32Array;
  /** `dimensions` numbers a body: of a box, half of each edge; of a ball 0. */
  readonly halves: Float32Array;
  /** The radius of a ball of the same volume: a body weighs bulk^dimensions. */
  readonly bulks: Float32Array;
}

/** What a state says of the sizes of its particles: nothing where all have one radius. */
export interface Sizes {
  readonly radii?: Float32Array | undefined;
  /** Where some may be boxes, with `bulks`. */
  readonly halves?: Float32Array | undefined;
  readonly bulks?: Float32Array | undefined;
}

export function isBox(dimensions: Dimensions, halves: Float32Array, body: number): boolean {
  return (halves[dimensions * body] as number) > 0;
}

/** How far a body reaches from its centre along an axis; `radius`: of all, where none has a size of its own. */
export function extentAlong(
  dimensions: Dimensions,
  { radii, halves }: Sizes,
  body: number,
  axis: number,
  radius: number,
): number {
  if (halves && isBox(dimensions, halves, body)) return halves[dimensions * body + axis] as number;
  return radii ? (radii[body] as number) : radius;
}

/** The diameter of a ball, the shortest edge of a box. */
export function thicknessOf(dimensions: Dimensions, sizes: Sizes, body: number, radius: number): number {
  let least = extentAlong(dimensions, sizes, body, 0, radius);
  if (!sizes.halves) return 2 * least;
  for (let axis = 1; axis < dimensions; axis++) {
    const along = extentAlong(dimensions, sizes, body, axis, radius);
    if (along < least) least = along;
  }
  return 2 * least;
}

/** What the smallest and the largest radius are to whoever gave the sizes of particles. */
export function namesOfRadii(given: {
  readonly radii?: unknown;
  readonly halfExtents?: unknown;
  readonly radiusRange?: unknown;
}): RangeLabels {
  if (given.radiusRange) return { smallest: 'radiusRange.smallest', largest: 'radiusRange.largest' };
  const around = given.halfExtents && 'the balls around halfExtents';
  const all = [given.radii && 'radii', around].filter(Boolean).join(' and ');
  return { smallest: `the smallest of ${all}`, largest: `the largest of ${all}` };
}

const bits = new DataView(new ArrayBuffer(4));

/** The radius of a ball around a box: the least 32-bit float that is not below it. */
export function radiusAround(half: readonly number[]): number {
  const radius = Math.hypot(...half);
  const nearest = fround(radius);
  if (nearest >= radius || nearest === Number.POSITIVE_INFINITY) return nearest;
  bits.setFloat32(0, nearest);
  bits.setUint32(0, bits.getUint32(0) + 1);
  return bits.getFloat32(0);
}

/** Volumes of the ball (the disc) of radius 1. */
const UNIT_BALL: Readonly<Record<Dimensions, number>> = { 2: Math.PI, 3: (4 / 3) * Math.PI };

function bulkOf(dimensions: Dimensions, half: readonly number[]): number {
  const volume = half.reduce((product, along) => product * 2 * along, 1);
  return fround((volume / UNIT_BALL[dimensions]) ** (1 / dimensions));
}

/** Bodies as they were given, checked: `radii` are 0 for boxes. Without half extents all are balls. */
export function defineShapes(
  dimensions: Dimensions,
  radii: Float32Array,
  halfExtents: Float32Array | undefined,
): Shapes {
  const halves = halfExtents?.slice() ?? new Float32Array(dimensions * radii.length);
  const around = radii.slice();
  const bulks = radii.slice();
  for (let body = 0; body < radii.length; body++) {
    if (!isBox(dimensions, halves, body)) continue;
    const half = halfOf(dimensions, halves, body);
    around[body] = radiusAround(half);
    bulks[body] = bulkOf(dimensions, half);
  }
  return { radii: around, halves, bulks };
}

/** Sizes of what was read from a simulation, as the engines hold them; none where all have one radius. */
export function shapesOf(
  dimensions: Dimensions,
  {
    radii,
    halfExtents,
  }: { readonly radii?: Float32Array | undefined; readonly halfExtents?: Float32Array | undefined },
): Sizes {
  if (!radii) return {};
  return halfExtents ? defineShapes(dimensions, radii, halfExtents) : { radii };
}

/**
 * Where some may be boxes, an error that names the first body that is wider than a world along an axis that does not wrap
 * around. Where all are balls, the world has been made as wide as the largest.
 */
export function checkBodiesFit(
  prefix: string,
  { radii, halves }: Sizes,
  { dimensions, kind, min, max, period }: Pick<World, 'dimensions' | 'kind' | 'min' | 'max' | 'period'>,
): void {
  if (!radii || !halves || kind === 'unbounded') return;
  const rooms = max.map((high, axis) =>
    period[axis] === 0 ? (high - (min[axis] as number)) / 2 : Number.POSITIVE_INFINITY,
  );
  for (let body = 0; body < radii.length; body++) {
    const isBall = !isBox(dimensions, halves, body);
    for (let axis = 0; axis < dimensions; axis++) {
      const half = (isBall ? radii[body] : halves[dimensions * body + axis]) as number;
      const room = rooms[axis] as number;
      if (half <= room) continue;
      const place = isBall ? `radii[${body}]` : `halfExtents[${dimensions * body + axis}]`;
      throw new ArgumentError(
        `${prefix}${place}`,
        half,
        `at most ${room}, half of the world along axis ${axis}`,
      );
    }
  }
}

/** Radii as they are given: 0 for boxes. */
function radiiAsGiven(dimensions: Dimensions, { radii, halves }: Omit<Shapes, 'bulks'>): Float32Array {
  return radii.map((radius, body) => (isBox(dimensions, halves, body) ? 0 : radius));
}

/** Sizes as they are given, from those that the engines hold. */
export function describeSizes(
  dimensions: Dimensions,
  { radii, halves }: Sizes,
): { readonly radii?: Float32Array; readonly halfExtents?: Float32Array } {
  if (!radii) return {};
  if (!halves) return { radii };
  return { radii: radiiAsGiven(dimensions, { radii, halves }), halfExtents: halves };
}

function halfOf(dimensions: Dimensions, halves: Float32Array, body: number): number[] {
  return Array.from(halves.subarray(dimensions * body, dimensions * (body + 1)));
}

/**
 * Half extents for each of `count` bodies, or an error that names the first that are wrong. `range`: what the radius of
 * the ball around a box may be.
 */
export function checkHalfExtents(
  argument: string,
  halfExtents: unknown,
  count: number,
  dimensions: Dimensions,
  range?: RadiusRange,
): asserts halfExtents is Float32Array {
  if (!(halfExtents instanceof Float32Array) || halfExtents.length !== count * dimensions) {
    const accepted = `a Float32Array of ${count * dimensions} numbers, ${dimensions} for each of ${count} particles`;
    throw new ArgumentError(argument, halfExtents, accepted);
  }
  for (let body = 0; body < count; body++) {
    const half = halfOf(dimensions, halfExtents, body);
    const isBall = half.every((along) => along === 0);
    const wrong = half.findIndex((along) => !(along >= THINNEST && along < Number.POSITIVE_INFINITY));
    if (!isBall && wrong >= 0) {
      const accepted = `from ${THINNEST} up, or 0 along every axis for a ball`;
      throw new ArgumentError(`${argument}[${dimensions * body + wrong}]`, half[wrong], accepted);
    }
    if (isBall) continue;
    const around = radiusAround(half);
    const { smallest, largest } = range ?? { smallest: 0, largest: LARGEST_DIAMETER / 2 };
    if (around >= smallest && around <= largest) continue;
    const accepted = `those of a box within a ball of a radius from ${smallest} to ${largest}${range ? ' (the radiusRange)' : ''}`;
    throw new ArgumentError(`${argument}[${dimensions * body}…]`, half, accepted);
  }
}
