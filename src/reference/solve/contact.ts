/**
 * 32-bit vector arithmetic, and the geometry of one contact. Twin of shaders/solve/contact.wgsl: every operation is
 * rounded once, and none is fused.
 * Guarantee: swapping the two particles negates the normal and keeps the overlap, to the bit.
 */

import { COINCIDENT_SQUARED, NOT_APART } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import type { Sizes } from '../../core/particles/shapes';
import { minimumImage } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import type { SortedState } from '../grid/gather';

const { fround } = Math;

export type Vector = number[];

export function loadVector(dimensions: number, vectors: Float32Array, particle: number): Vector {
  const vector: Vector = [];
  for (let axis = 0; axis < dimensions; axis++) vector.push(vectors[particle * dimensions + axis] as number);
  return vector;
}

export function storeVector(vectors: Float32Array, particle: number, vector: Vector): void {
  for (let axis = 0; axis < vector.length; axis++) {
    vectors[particle * vector.length + axis] = vector[axis] as number;
  }
}

export function subtract(a: Vector, b: Vector): Vector {
  return a.map((component, axis) => fround(component - (b[axis] as number)));
}

export function addScaled(a: Vector, factor: number, b: Vector): Vector {
  return a.map((component, axis) => fround(component + fround(factor * (b[axis] as number))));
}

export function add(a: Vector, b: Vector): Vector {
  return a.map((component, axis) => fround(component + (b[axis] as number)));
}

export function scale(factor: number, vector: Vector): Vector {
  return vector.map((component) => fround(factor * component));
}

export function dot(a: Vector, b: Vector): number {
  let sum = fround((a[0] as number) * (b[0] as number));
  for (let axis = 1; axis < a.length; axis++) {
    sum = fround(sum + fround((a[axis] as number) * (b[axis] as number)));
  }
  return sum;
}

export interface Contact {
  /** The unit vector from the other body to this particle. */
  readonly normal: Vector;
  readonly overlap: number;
}

/** Returns the minimum image of a difference. */
export function minimumImageInDoubles(apart: number, period: number): number {
  return period === 0 ? apart : apart - period * Math.round(apart / period);
}

/** Returns the vector to `particle` from `other`, an index of `others`. */
export function minimumImageOf(
  world: World,
  positions: Float32Array,
  particle: number,
  other: number,
  others = positions,
): Vector {
  const { dimensions } = world;
  return Array.from({ length: dimensions }, (_, axis) =>
    minimumImage(
      world,
      positions[particle * dimensions + axis] as number,
      others[other * dimensions + axis] as number,
      axis,
    ),
  );
}

export function distanceSquared(
  world: World,
  positions: Float32Array,
  particle: number,
  other: number,
  others = positions,
): number {
  const apart = minimumImageOf(world, positions, particle, other, others);
  return dot(apart, apart);
}

export type Bodies = Pick<SortedState, 'positions' | keyof Sizes>;

export function reachBetween(
  diameter: number,
  radii: Float32Array | undefined,
  slot: number,
  other: number,
  others = radii,
): number {
  return radii && others ? fround((radii[slot] as number) + (others[other] as number)) : diameter;
}

/** Returns the contact as seen from `slot`; undefined if the bodies do not overlap. `other` is a slot of `others`. */
export function findContact(
  world: World,
  substep: Pick<Substep, 'diameter'>,
  bodies: Bodies,
  slot: number,
  other: number,
  others = bodies,
): Contact | undefined {
  const { dimensions } = world;
  const { positions, radii, halves } = bodies;
  if (halves) {
    const { normal, overlap, isContact } = faceShapes(world, bodies, slot, other, others);
    return isContact ? { normal, overlap } : undefined;
  }
  const reach = reachBetween(substep.diameter, radii, slot, other, others.radii);
  const squared = distanceSquared(world, positions, slot, other, others.positions);
  // With this form of the comparison, a NaN is no contact.
  if (!(squared < fround(reach * reach))) return undefined;
  if (squared < COINCIDENT_SQUARED) {
    return { normal: coincidentNormal(dimensions, slot, other), overlap: reach };
  }
  const distance = fround(Math.sqrt(squared));
  const apart = minimumImageOf(world, positions, slot, other, others.positions);
  return {
    normal: apart.map((component) => fround(component / distance)),
    overlap: fround(reach - distance),
  };
}

interface Faced extends Contact {
  readonly isContact: boolean;
}

/** Compares two bodies that may be balls or boxes. If they are apart, `overlap` is minus the gap. */
export function faceShapes(
  world: World,
  bodies: Bodies,
  slot: number,
  other: number,
  others = bodies,
): Faced {
  const { dimensions } = world;
  const apart = minimumImageOf(world, bodies.positions, slot, other, others.positions);
  const half = ({ halves }: Bodies, body: number, axis: number) =>
    (halves?.[dimensions * body + axis] as number) || 0;
  const ballRadius = (of: Bodies, body: number) => (half(of, body, 0) > 0 ? 0 : (of.radii?.[body] as number));
  const sides = apart.map((_, axis) => fround(half(bodies, slot, axis) + half(others, other, axis)));
  const radiusSum = fround(ballRadius(bodies, slot) + ballRadius(others, other));
  const beyond = apart.map((along, axis) => fround(Math.abs(along) - (sides[axis] as number)));
  const outside = beyond.map((along) => Math.max(along, 0));
  const squared = dot(outside, outside);
  if (squared >= COINCIDENT_SQUARED) {
    const distance = fround(Math.sqrt(squared));
    const normal = outside.map((along, axis) => Math.sign(apart[axis] as number) * fround(along / distance));
    // Compare squares, because the root is rounded.
    return {
      normal,
      overlap: fround(radiusSum - distance),
      isContact: squared < fround(radiusSum * radiusSum),
    };
  }
  const depths = apart.map((along, axis) =>
    Math.abs(along) < NOT_APART ? -(sides[axis] as number) : (beyond[axis] as number),
  );
  const axis = depths.indexOf(Math.max(...depths));
  const overlap = fround(radiusSum - (depths[axis] as number));
  const along = apart[axis] as number;
  const isUp = Math.abs(along) < NOT_APART ? slot > other : along > 0;
  const normal = new Array<number>(dimensions).fill(0).with(axis, isUp ? 1 : -1);
  // With this form of the comparison, a NaN is no contact.
  return { normal, overlap, isContact: overlap > 0 };
}

/** Gives two coincident particles the same axis, with opposite signs. */
export function coincidentNormal(dimensions: number, slot: number, other: number): Vector {
  const normal = new Array<number>(dimensions).fill(0);
  normal[((slot + other) >>> 0) % dimensions] = slot > other ? 1 : -1;
  return normal;
}
