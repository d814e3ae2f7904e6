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
    const apart = apartFrom(surroundings, solids, first, place);
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = Math.hypot(...apart);
      const [near, far] = [(distance - size) / radius, (distance + size) / radius];
      const share = solids[first + 7] as number;
      const slope = (share * (inPlane(far) - inPlane(near))) / radius / Math.max(distance, 1e-30);
      bounds[0] = (bounds[0] as number) + share * (farther(near) - farther(far));
      apart.forEach((way, axis) => {
        bounds[1 + axis] = (bounds[1 + axis] as number) + slope * way;
      });
      continue;
    }
    const low = apart.map((way, axis) => ((solids[first + 4 + axis] as number) + way) / radius);
    const high = apart.map((way, axis) => ((solids[first + 4 + axis] as number) - way) / radius);
    const within = low.map((value, axis) => 1 - farther(value) - farther(high[axis] as number));
    bounds[0] = (bounds[0] as number) + within.reduce((product, share) => product * share, 1);
    for (let axis = 0; axis < dimensions; axis++) {
      let slope = (inPlane(low[axis] as number) - inPlane(high[axis] as number)) / radius;
      within.forEach((share, other) => {
        if (other !== axis) slope *= share;
      });
      bounds[1 + axis] = (bounds[1 + axis] as number) + slope;
    }
  }
}

/** Moves a place out of whatever it is in, to the nearest point of its surface, of boxes within the walls. */
export function leaveSolids(surroundings: Surroundings, solids: Float32Array, place: Float64Array): void {
  for (let first = 0; first < solids.length; first += OBSTACLE_FLOATS) {
    const apart = apartFrom(surroundings, solids, first, place);
    const size = solids[first + 3] as number;
    if (size > 0) {
      const distance = Math.hypot(...apart);
      if (distance >= size) continue;
      const ways = distance > 0 ? apart.map((way) => way / distance) : apart.map((_, axis) => axis % 2);
      ways.forEach((way, axis) => {
        place[axis] = (place[axis] as number) + (size - distance) * way;
      });
    } else if (apart.every((way, axis) => Math.abs(way) < (solids[first + 4 + axis] as number))) {
      leaveBox(surroundings, solids.subarray(first + 4), apart, place);
    }
  }
}

function leaveBox(
  { lower, upper }: Surroundings,
  halves: Float32Array,
  apart: readonly number[],
  place: Float64Array,
): void {
  let [least, along, to] = [Number.POSITIVE_INFINITY, -1, 0];
  apart.forEach((way, axis) => {
    const from = place[axis] as number;
    const [up, down] = [(halves[axis] as number) - way, (halves[axis] as number) + way];
    if (up < least && from + up < (upper[axis] as number)) [least, along, to] = [up, axis, from + up];
    if (down < least && from - down > (lower[axis] as number)) [least, along, to] = [down, axis, from - down];
  });
  if (along >= 0) place[along] = to;
}

function apartFrom(
  { dimensions, period }: Surroundings,
  solids: Float32Array,
  first: number,
  place: Float64Array,
): number[] {
  return Array.from({ length: dimensions }, (_, axis) =>
    shortestWay((place[axis] as number) - (solids[first + axis] as number), period[axis] as number),
  );
}
