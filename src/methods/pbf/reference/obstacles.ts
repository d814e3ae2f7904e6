/**
 * Walls and obstacles of the position-based fluid, in doubles. Both act as if they were full of fluid at rest. Twin of
 * shaders/pbf/obstacles.wgsl and of the walls in smoothing.wgsl. `solids` is the result of packObstacles.
 */
import { OBSTACLE_FLOATS } from '../obstacles';
import { farther, inPlane } from '../smoothing';

export interface Surroundings {
  readonly dimensions: number;
  /** Radius of the smoothing kernels. */
  readonly radius: number;
  /** Positions of the walls. Along axes without walls they are out of reach (see wallsOf). */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Lower corner of the world. */
  readonly low: readonly number[];
  /** Period of each axis; 0 along axes that are not periodic. */
  readonly period: readonly number[];
}

export function minimumImage(difference: number, period: number): number {
  return period > 0 ? difference - period * Math.round(difference / period) : difference;
}

/** Adds the density of the fluid imagined beyond walls to `bounds[0]`, and its gradient to the next numbers. */
export function walledIn(
  { dimensions, radius, lower, upper }: Surroundings,
  point: Float64Array,
  bounds: Float64Array,
): void {
  for (let axis = 0; axis < dimensions; axis++) {
    const low = Math.max(0, ((point[axis] as number) - (lower[axis] as number)) / radius);
    const high = Math.max(0, ((upper[axis] as number) - (point[axis] as number)) / radius);
    bounds[0] = (bounds[0] as number) + farther(low) + farther(high);
    bounds[1 + axis] = (bounds[1 + axis] as number) + (inPlane(high) - inPlane(low)) / radius;
  }
}

/** Adds the density of the fluid imagined inside obstacles to `bounds[0]`, and its gradient to the next numbers. */
export function inSolids(
  surroundings: Surroundings,
  solids: Float32Array,
  point: Float64Array,
  bounds: Float64Array,
): void {
  const { dimensions, radius } = surroundings;
  for (let first = 0; first < solids.length; first += OBSTACLE_FLOATS) {
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = distanceFrom(surroundings, solids, first, point);
      const [near, far] = [(distance - size) / radius, (distance + size) / radius];
      if (near >= 1) continue;
      const share = solids[first + 7] as number;
      const slope = (share * (inPlane(far) - inPlane(near))) / radius / Math.max(distance, 1e-30);
      bounds[0] = (bounds[0] as number) + share * (farther(near) - farther(far));
      for (let axis = 0; axis < dimensions; axis++) {
        bounds[1 + axis] = (bounds[1 + axis] as number) + slope * (offsets[axis] as number);
      }
    } else if (depthIn(surroundings, solids, first, point) > -radius) {
      addBox(surroundings, solids, first, bounds);
    }
  }
}

/** Adds a box's density and its gradient to `bounds`. Call depthIn first, which sets `offsets`. */
function addBox(
  { dimensions, radius }: Surroundings,
  solids: Float32Array,
  first: number,
  bounds: Float64Array,
): void {
  let product = 1;
  for (let axis = 0; axis < dimensions; axis++) {
    const [half, offset] = [solids[first + 4 + axis] as number, offsets[axis] as number];
    const [low, high] = [(half + offset) / radius, (half - offset) / radius];
    within[axis] = 1 - farther(low) - farther(high);
    slopes[axis] = (inPlane(low) - inPlane(high)) / radius;
    product *= within[axis] as number;
  }
  bounds[0] = (bounds[0] as number) + product;
  for (let axis = 0; axis < dimensions; axis++) {
    let slope = slopes[axis] as number;
    for (let other = 0; other < dimensions; other++) if (other !== axis) slope *= within[other] as number;
    bounds[1 + axis] = (bounds[1 + axis] as number) + slope;
  }
}

/**
 * Moves a point that is inside an obstacle to the nearest point of the obstacle's surface. Ignores sides of a box that
 * lie beyond the walls.
 */
export function leaveSolids(surroundings: Surroundings, solids: Float32Array, point: Float64Array): void {
  const { dimensions } = surroundings;
  for (let first = 0; first < solids.length; first += OBSTACLE_FLOATS) {
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = distanceFrom(surroundings, solids, first, point);
      if (distance >= size) continue;
      if (distance === 0) offsets[1] = 1;
      const share = (size - distance) / (distance || 1);
      for (let axis = 0; axis < dimensions; axis++) {
        point[axis] = (point[axis] as number) + share * (offsets[axis] as number);
      }
    } else if (depthIn(surroundings, solids, first, point) > 0) {
      leaveBox(surroundings, solids, first, point);
    }
  }
}

/** Moves a point out of a box. Call depthIn first, which sets `offsets`. */
function leaveBox(
  { dimensions, lower, upper }: Surroundings,
  solids: Float32Array,
  first: number,
  point: Float64Array,
): void {
  let [least, along, to] = [Number.POSITIVE_INFINITY, -1, 0];
  for (let axis = 0; axis < dimensions; axis++) {
    const from = point[axis] as number;
    const [half, offset] = [solids[first + 4 + axis] as number, offsets[axis] as number];
    const [up, down] = [half - offset, half + offset];
    if (up < least && from + up < (upper[axis] as number)) [least, along, to] = [up, axis, from + up];
    if (down < least && from - down > (lower[axis] as number)) [least, along, to] = [down, axis, from - down];
  }
  if (along >= 0) point[along] = to;
}

/** Scratch: the vector from an obstacle's centre to a point. */
const offsets = new Float64Array(3);
/** Scratch: per axis, the share of poly6 that lies between the two sides of a box. */
const within = new Float64Array(3);
/** Scratch: the slopes of these shares. */
const slopes = new Float64Array(3);

/** Writes the vector from an obstacle's centre to a point to `offsets`. Returns its length. */
function distanceFrom(
  { dimensions, period }: Surroundings,
  solids: Float32Array,
  first: number,
  point: Float64Array,
): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const offset = (point[axis] as number) - (solids[first + axis] as number);
    const shortest = minimumImage(offset, period[axis] as number);
    offsets[axis] = shortest;
    squared += shortest * shortest;
  }
  return Math.sqrt(squared);
}

/** Like distanceFrom, but returns the depth inside a box; negative for points outside. */
function depthIn(
  surroundings: Surroundings,
  solids: Float32Array,
  first: number,
  point: Float64Array,
): number {
  distanceFrom(surroundings, solids, first, point);
  let depth = Number.POSITIVE_INFINITY;
  for (let axis = 0; axis < surroundings.dimensions; axis++) {
    depth = Math.min(depth, (solids[first + 4 + axis] as number) - Math.abs(offsets[axis] as number));
  }
  return depth;
}
