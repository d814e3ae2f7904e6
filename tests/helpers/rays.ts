/**
 * Purpose: rays of all kinds for particles in and around a box from 0 to 8, and what an answer must be like: the hits of
 * the reference, but for those that rounding may decide.
 */
import { expect } from 'vitest';
import type { Dimensions } from '../../src/core/world';
import { faultOfHits, type ReferenceHits, type ReferenceRay } from '../../src/reference/rays';
import { createNoise } from './passes';

export const EDGE = 8;

/** Slanting, along axes, from within balls, from outside, short, endless, of no length, not finite. */
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
  const place = () => all(() => -2 + 12 * noise());
  const unit = () => {
    const vector = all(() => noise() - 0.5);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const unitAlong = (axis: number, sign: number) => all((other) => (other === axis ? sign : 0));
  for (const reach of [0, 0.3, 1, 4, 11, 30, Number.POSITIVE_INFINITY]) {
    for (let index = 0; index < 12; index++) add(place(), unit(), reach);
    for (let axis = 0; axis < dimensions; axis++) {
      for (const sign of [1, -1]) {
        add(place(), unitAlong(axis, sign), reach);
        // Hardly moving along the others.
        add(
          place(),
          all((other) => (other === axis ? sign : (noise() - 0.5) * 1e-6)),
          reach,
        );
      }
    }
  }
  // Not of unit length.
  for (const length of [0.01, 3, 1000]) {
    for (let index = 0; index < 8; index++)
      add(
        place(),
        unit().map((value) => length * value),
        9 / length,
      );
  }
  // From particles, towards particles, from far outside.
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

/** By distance and then by id, no ball twice, and those of the reference; returns how many were in doubt. */
export function expectHits(
  ids: ArrayLike<number>,
  distances: ArrayLike<number>,
  hits: ReferenceHits,
  what: string,
): number {
  expect(faultOfHits(ids, distances, hits), what).toBeUndefined();
  return hits.doubtful.size;
}
