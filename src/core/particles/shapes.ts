/**
 * Balls and boxes: their overlap, their checks, and their conversion to the engines' form and back. A box has edges
 * along the axes; the grid treats it as the ball around it.
 *
 * If bodies may be boxes, the overlap of two bodies depends on these values:
 *   - d is the vector from one centre to the other.
 *   - h is the sum of both half extents; those of a ball are 0.
 *   - r is the sum of both radii; that of a box is 0.
 *   - b is |d| − h along each axis.
 *   - o is the greater of b and 0 along each axis.
 *   - If o is not 0, the bodies overlap by r − (the length of o). The shortest way out is along o.
 *   - If o is 0, the bodies overlap by r − (the greatest component of b). The shortest way out is along the axis of
 *     this component; of equal components, the first counts. If the centres do not differ along this axis, the body
 *     with the higher slot moves towards higher coordinates.
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

const THINNEST = SMALLEST_DIAMETER / 2;

export interface Shapes {
  /** Radius of the ball, or of the ball around the box. */
  readonly radii: Float32Array;
  /** `dimensions` numbers per body: half of each edge of a box, or 0 for a ball. */
  readonly halves: Float32Array;
  /** Radius of a ball with the body's volume. Masses are proportional to bulk^dimensions. */
  readonly bulks: Float32Array;
}

/** Sizes in the engines' form, as in Shapes; empty if all bodies have one radius. */
export interface Sizes {
  readonly radii?: Float32Array | undefined;
  /** Present, together with `bulks`, if some bodies may be boxes. */
  readonly halves?: Float32Array | undefined;
  readonly bulks?: Float32Array | undefined;
  /** Loads of the last substep (core/contact/law.ts). If left out, they are 0. */
  readonly loads?: Float32Array | undefined;
}

export function isBox(dimensions: Dimensions, halves: Float32Array, body: number): boolean {
  return (halves[dimensions * body] as number) > 0;
}

/** Returns half of a body's width along an axis. `radius` is the radius of all bodies if there are no `radii`. */
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

/** Returns the diameter of a ball, or the shortest edge of a box. */
export function thicknessOf(dimensions: Dimensions, sizes: Sizes, body: number, radius: number): number {
  let least = extentAlong(dimensions, sizes, body, 0, radius);
  if (!sizes.halves) return 2 * least;
  for (let axis = 1; axis < dimensions; axis++) {
    const along = extentAlong(dimensions, sizes, body, axis, radius);
    if (along < least) least = along;
  }
  return 2 * least;
}

export function labelsOfRadii(given: {
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

/** Returns the radius of the ball around a box, rounded up to a 32-bit float. */
export function radiusAround(half: readonly number[]): number {
  const radius = Math.hypot(...half);
  const nearest = fround(radius);
  if (nearest >= radius || nearest === Number.POSITIVE_INFINITY) return nearest;
  bits.setFloat32(0, nearest);
  bits.setUint32(0, bits.getUint32(0) + 1);
  return bits.getFloat32(0);
}

const UNIT_BALL: Readonly<Record<Dimensions, number>> = { 2: Math.PI, 3: (4 / 3) * Math.PI };

function bulkOf(dimensions: Dimensions, half: readonly number[]): number {
  const volume = half.reduce((product, along) => product * 2 * along, 1);
  return fround((volume / UNIT_BALL[dimensions]) ** (1 / dimensions));
}

/** Returns sizes in the engines' form. Without half extents, all bodies are balls. */
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
 * Throws if a body is wider than the world along an axis that is not periodic. Without boxes, this checks nothing,
 * because defineWorld or defineLevels has checked the largest ball.
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
      const name = isBall ? `radii[${body}]` : `halfExtents[${dimensions * body + axis}]`;
      throw new ArgumentError(
        `${prefix}${name}`,
        half,
        `at most ${room}, half of the world along axis ${axis}`,
      );
    }
  }
}

function radiiAsGiven(dimensions: Dimensions, { radii, halves }: Omit<Shapes, 'bulks'>): Float32Array {
  return radii.map((radius, body) => (isBox(dimensions, halves, body) ? 0 : radius));
}

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

/** Throws if half extents are not valid. `range` limits the radius of the ball around each box. */
export function checkHalfExtents(
  argument: string,
  halfExtents: unknown,
  count: number,
  dimensions: Dimensions,
  range?: RadiusRange,
): asserts halfExtents is Float32Array {
  if (!(halfExtents instanceof Float32Array) || halfExtents.length !== count * dimensions) {
    const accepted = `a Float32Array of length ${count * dimensions}, ${dimensions} per body`;
    throw new ArgumentError(argument, halfExtents, accepted);
  }
  for (let body = 0; body < count; body++) {
    const half = halfOf(dimensions, halfExtents, body);
    const isBall = half.every((along) => along === 0);
    const wrong = half.findIndex((along) => !(along >= THINNEST && along < Number.POSITIVE_INFINITY));
    if (!isBall && wrong >= 0) {
      const accepted = `finite and at least ${THINNEST}, or 0 on every axis for a ball`;
      throw new ArgumentError(`${argument}[${dimensions * body + wrong}]`, half[wrong], accepted);
    }
    if (isBall) continue;
    const around = radiusAround(half);
    const { smallest, largest } = range ?? { smallest: 0, largest: LARGEST_DIAMETER / 2 };
    if (around >= smallest && around <= largest) continue;
    const accepted = `the half extents of a box whose surrounding ball has a radius from ${smallest} to ${largest}${range ? ' (the radiusRange)' : ''}`;
    throw new ArgumentError(`${argument}[${dimensions * body}…]`, half, accepted);
  }
}
