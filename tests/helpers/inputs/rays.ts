/** Rays in and around a box from 0 to EDGE, and a check of their hits. */
import { expect } from 'vitest';
import { wrapAxis } from '../../../src/core/world/cells';
import type { Dimensions, World } from '../../../src/core/world/world';
import {
  faultOfHits,
  hitsAlongRay,
  type ReferenceHit,
  type ReferenceHits,
  type ReferenceRay,
} from '../../../src/reference/query/rays';
import { createNoise } from '../../../src/testing/noise';

export const EDGE = 8;

const FAR_OUT = 1e18;

/** Returns rays of many kinds, some of which isRay() rejects. Needs at least 32 particles. */
export function makeRays(dimensions: Dimensions, positions: Float32Array): ReferenceRay[] {
  const noise = createNoise(23);
  const rays: ReferenceRay[] = [];
  const all = (make: (axis: number) => number) => Array.from({ length: dimensions }, (_, axis) => make(axis));
  const add = (origin: readonly number[], direction: readonly number[], greatestDistance: number) => {
    rays.push({
      origin: origin.map(Math.fround),
      direction: direction.map(Math.fround),
      greatestDistance: Math.fround(greatestDistance),
    });
  };
  const anywhere = () => all(() => -2 + 12 * noise());
  const unit = () => {
    const vector = all(() => noise() - 0.5);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const unitAlong = (axis: number, sign: number) => all((other) => (other === axis ? sign : 0));
  for (const reach of [0, 0.3, 1, 4, 11, 30, Number.POSITIVE_INFINITY]) {
    for (let index = 0; index < 12; index++) add(anywhere(), unit(), reach);
    for (let axis = 0; axis < dimensions; axis++) {
      for (const sign of [1, -1]) {
        add(anywhere(), unitAlong(axis, sign), reach);
        // Almost no motion along the other axes.
        add(
          anywhere(),
          all((other) => (other === axis ? sign : (noise() - 0.5) * 1e-6)),
          reach,
        );
      }
    }
  }
  for (const length of [0.01, 3, 1000]) {
    for (let index = 0; index < 8; index++)
      add(
        anywhere(),
        unit().map((value) => length * value),
        9 / length,
      );
  }
  // Rays from particles, towards particles, and from far outside.
  for (let id = 0; id < 12; id++) {
    const at = (index: number) =>
      Array.from(positions.subarray(dimensions * index, dimensions * (index + 1)));
    const from = at(id);
    const to = at(id + 20);
    add(from, unit(), 5);
    add(
      from,
      to.map((value, axis) => value - (from[axis] as number)),
      1,
    );
    add(
      all(() => -40),
      to.map((value) => value + 40),
      1.5,
    );
  }
  add(
    all(() => 1),
    all(() => 0),
    5,
  );
  add(
    all(() => 1),
    unitAlong(0, Number.NaN),
    5,
  );
  add(
    all((axis) => (axis === 0 ? Number.POSITIVE_INFINITY : 1)),
    unitAlong(0, -1),
    5,
  );
  add(
    all(() => 1),
    unitAlong(0, 1),
    -1,
  );
  add(
    all(() => 1),
    unitAlong(0, 1),
    Number.NaN,
  );
  return rays;
}

/**
 * Returns whether origin and direction are finite, the direction is not 0, and the distance is at least 0. CPU searches
 * reject other rays.
 */
export function isRay({ origin, direction, greatestDistance }: ReferenceRay): boolean {
  const known = [...origin, ...direction].every(Number.isFinite);
  return known && Math.hypot(...direction) > 0 && greatestDistance >= 0;
}

/** Aims a ray at a point inside each of the first `count` balls, since rays in random directions miss most balls. */
export function aimRays(
  dimensions: Dimensions,
  positions: Float32Array,
  radii: Float32Array,
  count: number,
): ReferenceRay[] {
  const noise = createNoise(29);
  return Array.from({ length: count }, (_, id) => {
    const origin = Array.from({ length: dimensions }, () => Math.fround(-2 + 12 * noise()));
    const difference = origin.map((from, axis) => {
      const off = (noise() - 0.5) * (radii[id] as number);
      return (positions[dimensions * id + axis] as number) + off - from;
    });
    const length = Math.hypot(...difference);
    return {
      origin,
      direction: difference.map((part) => Math.fround(part / length)),
      greatestDistance: id % 10 === 0 ? Number.POSITIVE_INFINITY : Math.fround(1.2 * length),
    };
  });
}

/**
 * Rays that start at a particle or beside it. Of four rays, one follows an axis, one points into a particle, and each
 * of the other two points into a particle or past it. `inside` holds the stored positions.
 */
export function raysAmong(
  world: World,
  inside: Float32Array,
  radii: Float32Array,
  most: number,
): ReferenceRay[] {
  const { dimensions, diameter } = world;
  const noise = createNoise(31);
  const positionOf = (id: number) => Array.from(inside.subarray(dimensions * id, dimensions * (id + 1)));
  const ids = [...radii.keys()].filter((id) => positionOf(id).every((value) => Math.abs(value) < FAR_OUT));
  const pick = () => ids[Math.floor(noise() * ids.length)] as number;
  return Array.from({ length: ids.length > 0 ? most : 0 }, (_, index): ReferenceRay => {
    const [from, to] = [pick(), pick()];
    const beside = (index % 3) * 0.5 * diameter;
    const past = (index % 2 === 0 ? 0.7 : 2.8) * (radii[to] || 0);
    const origin = positionOf(from).map((value, axis) =>
      // A grid wraps the origin, which may round it.
      wrapAxis(world, Math.fround(value + beside * (noise() - 0.5)), axis),
    );
    const difference = positionOf(to).map((value, axis) => {
      const part = value + past * (noise() - 0.5) - (origin[axis] as number);
      return index % 4 > 0 || axis === index % dimensions ? part : 0;
    });
    const length = Math.hypot(...difference);
    const direction = difference.map((part) => Math.fround(part / length));
    return { origin, direction, greatestDistance: Math.fround((index % 5 === 1 ? 3 : 1) * length) };
  }).filter(({ direction }) => direction.every(Number.isFinite));
}

/** Replaces a radius of 0, for which the reference divides 0 by 0. It is below the smallest 32-bit float. */
const POINT = 2 ** -200;

/** A ray that is farther than this share of the largest radius from a tiny ball's centre certainly misses the ball. */
const DOUBT = 2 ** -9;

/** Returns the hits of a ray among balls of many radii. Leaves out balls whose radius is invalid or above `largest`. */
export function hitsOfSizes(
  positions: Float32Array,
  radii: Float32Array,
  largest: number,
  period: readonly number[],
  ray: ReferenceRay,
): ReferenceHits {
  const dimensions = period.length;
  const hits: ReferenceHit[] = [];
  const doubtful = new Set<number>();
  radii.forEach((radius, id) => {
    if (!(radius >= 0 && radius <= largest)) return;
    const position = positions.subarray(dimensions * id, dimensions * (id + 1));
    const alone = hitsAlongRay(position, period, ray, Math.max(radius, POINT));
    hits.push(...alone.hits.map((hit) => ({ ...hit, id })));
    // The reference tries only images within two radii of the ray. A grid rounds, so it may hit images of tiny balls
    // that the reference does not try.
    const looksTooNear = period.some(Boolean) && radius < DOUBT * largest;
    const isNear = () => looksTooNear && hitsAlongRay(position, period, ray, DOUBT * largest).hits.length > 0;
    if (alone.doubtful.size > 0 || isNear()) doubtful.add(id);
  });
  hits.sort((a, b) => a.distance - b.distance || a.id - b.id);
  return { hits, doubtful };
}

/**
 * Expects each hit once, sorted by distance, then id. A ball is doubtful if rounding may decide whether the ray hits
 * it; then its hit is optional. Returns the number of doubtful balls.
 */
export function expectHits(
  ids: ArrayLike<number>,
  distances: ArrayLike<number>,
  hits: ReferenceHits,
  what: string,
): number {
  expect(faultOfHits(ids, distances, hits), what).toBeUndefined();
  return hits.doubtful.size;
}
