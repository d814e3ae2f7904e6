/**
 * Purpose: what walls and obstacles are to a place in the position-based fluid, in doubles: the twin of
 * shaders/pbf/obstacles.wgsl and of the walls in smoothing.wgsl. Inputs: a place, obstacles as packObstacles has them.
 * Outputs: the density that is imagined beyond them and its gradient; the way out.
 */
import { OBSTACLE_FLOATS } from '../obstacles';
import { farther, inPlane } from '../smoothing';

export interface Surroundings {
  readonly dimensions: number;
  /** Of the smoothing kernels. */
  readonly radius: number;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly low: readonly number[];
  /** Length of the box along axes that wrap around, 0 along others. */
  readonly period: readonly number[];
}

/** The shortest of the ways between all images. */
export function shortestWay(apart: number, period: number): number {
  return period > 0 ? apart - period * Math.round(apart / period) : apart;
}

/** Adds what is beyond walls to `bounds`: the density, then its gradient. */
export function walledIn(
  { dimensions, radius, lower, upper }: Surroundings,
  place: Float64Array,
  bounds: Float64Array,
): void {
  for (let axis = 0; axis < dimensions; axis++) {
    const low = Math.max(0, ((place[axis] as number) - (lower[axis] as number)) / radius);
    const high = Math.max(0, ((upper[axis] as number) - (place[axis] as number)) / radius);
    bounds[0] = (bounds[0] as number) + farther(low) + farther(high);
    bounds[1 + axis] = (bounds[1 + axis] as number) + (inPlane(high) - inPlane(low)) / radius;
  }
}

/** Adds what is in obstacles, likewise. */
export function inSolids(
  surroundings: Surroundings,
  solids: Float32Array,
  place: Float64Array,
  bounds: Float64Array,
): void {
  const { dimensions, radius } = surroundings;
  for (let first = 0; first < solids.length; first += OBSTACLE_FLOATS) {
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = wayFrom(surroundings, solids, first, place);
      const [near, far] = [(distance - size) / radius, (distance + size) / radius];
      if (near >= 1) continue;
      const share = solids[first + 7] as number;
      const slope = (share * (inPlane(far) - inPlane(near))) / radius / Math.max(distance, 1e-30);
      bounds[0] = (bounds[0] as number) + share * (farther(near) - farther(far));
      for (let axis = 0; axis < dimensions; axis++) {
        bounds[1 + axis] = (bounds[1 + axis] as number) + slope * (apart[axis] as number);
      }
    } else if (wayInto(surroundings, solids, first, place) > -radius) {
      addBox(surroundings, solids, first, bounds);
    }
  }
}

/** From the last way taken. */
function addBox(
  { dimensions, radius }: Surroundings,
  solids: Float32Array,
  first: number,
  bounds: Float64Array,
): void {
  let product = 1;
  for (let axis = 0; axis < dimensions; axis++) {
    const [half, way] = [solids[first + 4 + axis] as number, apart[axis] as number];
    const [low, high] = [(half + way) / radius, (half - way) / radius];
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

/** Moves a place out of whatever it is in, to the nearest point of its surface, of boxes within the walls. */
export function leaveSolids(surroundings: Surroundings, solids: Float32Array, place: Float64Array): void {
  const { dimensions } = surroundings;
  for (let first = 0; first < solids.length; first += OBSTACLE_FLOATS) {
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = wayFrom(surroundings, solids, first, place);
      if (distance >= size) continue;
      if (distance === 0) apart[1] = 1;
      const share = (size - distance) / (distance || 1);
      for (let axis = 0; axis < dimensions; axis++) {
        place[axis] = (place[axis] as number) + share * (apart[axis] as number);
      }
    } else if (wayInto(surroundings, solids, first, place) > 0) {
      leaveBox(surroundings, solids, first, place);
    }
  }
}

/** From the last way taken. */
function leaveBox(
  { dimensions, lower, upper }: Surroundings,
  solids: Float32Array,
  first: number,
  place: Float64Array,
): void {
  let [least, along, to] = [Number.POSITIVE_INFINITY, -1, 0];
  for (let axis = 0; axis < dimensions; axis++) {
    const from = place[axis] as number;
    const [half, way] = [solids[first + 4 + axis] as number, apart[axis] as number];
    const [up, down] = [half - way, half + way];
    if (up < least && from + up < (upper[axis] as number)) [least, along, to] = [up, axis, from + up];
    if (down < least && from - down > (lower[axis] as number)) [least, along, to] = [down, axis, from - down];
  }
  if (along >= 0) place[along] = to;
}

/** The last way taken, and what is made of it: one thread goes over one obstacle at a time. */
const apart = new Float64Array(3);
const within = new Float64Array(3);
const slopes = new Float64Array(3);

/** Takes the way from the middle of an obstacle to a place; how long it is. */
function wayFrom(
  { dimensions, period }: Surroundings,
  solids: Float32Array,
  first: number,
  place: Float64Array,
): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const way = (place[axis] as number) - (solids[first + axis] as number);
    const shortest = shortestWay(way, period[axis] as number);
    apart[axis] = shortest;
    squared += shortest * shortest;
  }
  return Math.sqrt(squared);
}

/** The same; how deep it is inside of a box, below 0 outside. */
function wayInto(
  surroundings: Surroundings,
  solids: Float32Array,
  first: number,
  place: Float64Array,
): number {
  wayFrom(surroundings, solids, first, place);
  let depth = Number.POSITIVE_INFINITY;
  for (let axis = 0; axis < surroundings.dimensions; axis++) {
    depth = Math.min(depth, (solids[first + 4 + axis] as number) - Math.abs(apart[axis] as number));
  }
  return depth;
}
