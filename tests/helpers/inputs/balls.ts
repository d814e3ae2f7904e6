/** An oracle for rays among balls of different radii, on top of src/reference/query/rays.ts. */
import { levelOf } from '../../../src/core/world/levels';
import {
  hitsAlongRay,
  type ReferenceHit,
  type ReferenceHits,
  type ReferenceRay,
} from '../../../src/reference/query/rays';
import { stored } from './unusual-worlds';
import type { VariableCrowd } from './variable-crowds';

export type Balls = Pick<VariableCrowd, 'world' | 'positions' | 'radiusOf'>;

/** Returns the positions that a grid stores. They are NaN for balls that it quarantines because of their radius. */
export function storedBalls({ world, positions, radiusOf }: Balls): Float32Array {
  const { dimensions } = world;
  const inside = stored({ world, positions });
  radiusOf.forEach((radius, id) => {
    if (levelOf(world, radius) === undefined) {
      inside.fill(Number.NaN, dimensions * id, dimensions * (id + 1));
    }
  });
  return inside;
}

/** Repeats all balls: among few balls, a search tests all of them instead of using cells. */
export function repeatBalls<Given extends Balls>(balls: Given, times: number): Given {
  const positions = new Float32Array(times * balls.positions.length);
  const radiusOf = new Float32Array(times * balls.radiusOf.length);
  for (let copy = 0; copy < times; copy++) {
    positions.set(balls.positions, copy * balls.positions.length);
    radiusOf.set(balls.radiusOf, copy * balls.radiusOf.length);
  }
  return { ...balls, positions, radiusOf };
}

/** In doubles, the error of the distance from ray to centre, as a share of the distance from origin to centre. */
const DOUBLES = 2 ** -45;

/** Replaces a radius of 0, for which the reference divides 0 by 0. It is far below the smallest 32-bit float. */
const POINT = 1e-140;

/** Returns the hits of a ray, whose origin it wraps first. `inside` holds the result of `storedBalls`. */
export function ballsAlongRay(
  { world, radiusOf }: Balls,
  inside: Float32Array,
  ray: ReferenceRay,
): ReferenceHits {
  const { dimensions, period, min } = world;
  const origin = ray.origin.map((value, axis) => {
    const length = period[axis] as number;
    return length > 0 ? value - length * Math.floor((value - (min[axis] as number)) / length) : value;
  });
  const idsOf = new Map<number, number[]>();
  radiusOf.forEach((radius, id) => {
    const ids = idsOf.get(radius);
    if (ids) ids.push(id);
    else if (levelOf(world, radius) !== undefined) idsOf.set(radius, [id]);
  });
  const hits: ReferenceHit[] = [];
  const doubtful = new Set<number>();
  for (const [radius, ids] of idsOf) {
    const centres = new Float32Array(dimensions * ids.length);
    ids.forEach((id, index) => {
      centres.set(inside.subarray(dimensions * id, dimensions * (id + 1)), dimensions * index);
    });
    const met = hitsAlongRay(centres, period, { ...ray, origin }, radius || POINT, DOUBLES);
    for (const hit of met.hits) hits.push({ ...hit, id: ids[hit.id] as number });
    for (const index of met.doubtful) doubtful.add(ids[index] as number);
  }
  hits.sort((a, b) => a.distance - b.distance || a.id - b.id);
  return { hits, doubtful };
}
