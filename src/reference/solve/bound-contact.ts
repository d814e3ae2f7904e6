/**
 * The geometry of one contact in exact arithmetic, and the errors of the GPU and the reference. bound.ts explains the
 * terms.
 *
 * One contact at distance d, with overlap δ = D − d and relative velocity r of length V:
 *   apart        each difference is rounded once:                           off by u
 *   d²           square (2 u + u), k − 1 sums of positive terms:            off by (k + 2) u
 *   d            half of that, and a sqrt:                                  off by DISTANCE = (k + 2) / 2 u + 9 u
 *   n            apart / d:                                                 off by NORMAL = DISTANCE + 6 u
 *   δ            D − d, rounded:                                            ± d · DISTANCE + δ u
 *   p = w δ      one product; in a bounce, w = BOUNCE_PUSH / 2:             ± w (d · DISTANCE + 2 δ u)
 *   a = r·n      r is off by u, n by NORMAL, k roundings of terms ≤ V:      ± V · APPROACH = V (NORMAL + (k + 1) u)
 *   s = r − a n  errors of a, n (NORMAL + u), r and the difference:         ± V · SLIDING = V (APPROACH + NORMAL + 3 u)
 * The errors of n are relative to each component, so a component that is 0 has no error.
 * A pair inside the band of brute-force.ts may be a contact for only one of GPU and reference. Then |δ| is at most
 * (k + 3) / 2 u D, and (k + 3) u D is added to the error of δ.
 *
 * Contacts with obstacles are computed at the particle's position after its contacts with particles. The error of that
 * position adds to the errors of `apart` and δ.
 *
 * Across an end of a periodic world, each difference in `apart` is about the period P before P is subtracted. Its
 * rounding is then ± u P, or √k u P / d relative to the distance. DISTANCE grows by this error, NORMAL by twice this
 * error. The error of n is then not relative to each component.
 *
 * Variable radii: the reach R replaces D. R is the sum of both radii, rounded once. So distance² is compared with R² (1
 * ± 3 u), the band is 2 u R² wider, and δ is off by u R more. The mass share m is no longer ½:
 *   q     the smaller radius / the larger:               off by 5 u
 *   qᵏ    k − 1 products:                                off by 11 u in 2D, 17 u in 3D
 *   A, B  the masses 1 (1 + load) and qᵏ (1 + load):     A off by u, B by the error of qᵏ and 2 u
 *   m     A or B, divided by A + B:                      off by SHARE = 20 u in 2D, 26 u in 3D
 * GPU and reference read the same bits of the loads. The relative errors of A and B each count at most once, because
 * they change numerator and denominator alike. The sum A + B adds u, the quotient 5 u. The push p = 2 m w δ takes two
 * products: ± 2 m w (d · DISTANCE + u R + (SHARE + 3 u) δ).
 *
 * Restitution e max(0, 1 − L), where L is the sum of both loads: the sum is off by u L. The difference and the product
 * round once each. If L is at most 2, this is at most ± 4 u e. If L is 0 or above 2, the result is exact.
 *
 * Boxes (src/core/particles/shapes.ts): along each axis b = |apart| − h, where h is the sum of the half extents. This
 * takes two differences and a sum: ± u (|apart| + h + |b|), and u P across an end. If 32-bit floats hold all of these
 * values, the error is 0. Let ε be the length of the vector of these errors, and o the vector of all max(b, 0).
 *   - If o is not 0, the distance |o| is off by ε / |o| and DISTANCE, and the normal o / |o| by 2 ε / |o| and NORMAL.
 *     The code doubles the terms in ε.
 *   - If o is 0, the overlap is off by the error of b along the axis of the shortest way out.
 * The contact has no bound if rounding may decide whether o is 0, the axis of the shortest way out, or the sign of the
 * normal.
 */
import { ASIDE_WAVES, COINCIDENT_SQUARED, DEEP, NOT_APART } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import { pairBand, UNIT_ROUNDOFF as U } from '../query/brute-force';
import type { GridState } from '../query/probe';
import {
  type Accuracy,
  type ApproximateNumber,
  accuracyOf,
  component,
  inner,
  length,
  SLACK,
  vectorOf,
} from './bound-sums';
import { type Bodies, coincidentNormal, minimumImageInDoubles } from './contact';
import type { Obstacles } from './obstacles';

export interface ExactContact {
  readonly normal: readonly number[];
  readonly overlap: number;
  readonly overlapError: number;
  readonly relative: readonly number[];
  readonly speed: number;
  readonly approach: number;
  readonly approachError: number;
  readonly accuracy: Accuracy;
  /** True if the error of each component of `normal` is relative to that component, so a component of 0 is exact. */
  readonly isNormalRelative: boolean;
  /** True if GPU and reference may disagree whether this is a contact. */
  readonly isBorderline: boolean;
  /** True if rounding may decide the normal. */
  readonly hasNoBound: boolean;
  readonly part: Part;
  /** `part` without the loads: for a bounce, and for a pass that only pushes apart. */
  readonly unloadedPart: Part;
  readonly restitution: ApproximateNumber;
  /** The sum of the loads of both bodies; 0 for two particles of the same size. */
  readonly borne: number;
  /** The diameter of the smaller body, without error. */
  readonly size: number;
  /** See wavesOf. Undefined for an obstacle, and if the radii differ. */
  readonly waves: ApproximateNumber | undefined;
}

export interface Part {
  readonly share: number;
  /** Relative error of `share`, with the rounding of one product. */
  readonly error: number;
}

/** The distance below which centres count as coincident. */
const COINCIDENT = Math.sqrt(COINCIDENT_SQUARED);

export const HALF: Part = { share: 0.5, error: 0 };
const ON_OBSTACLE: Part = { share: 1, error: 0 };

function partOf(
  { dimensions }: World,
  { radii, bulks, loads }: GridState,
  slot: number,
  other: number,
  countsLoads: boolean,
): Part {
  const sizes = bulks ?? radii;
  if (!sizes) return HALF;
  const [own, others] = [sizes[slot] as number, sizes[other] as number];
  if (own === others) return HALF;
  const loadAt = (of: number) => (countsLoads && loads ? (loads[of] as number) : 0);
  const ratio = Math.min(own / others, others / own) ** dimensions;
  const ownMass = (own < others ? ratio : 1) * (1 + loadAt(slot));
  const otherMass = (own < others ? 1 : ratio) * (1 + loadAt(other));
  const loaded = otherMass / (ownMass + otherMass);
  const share = own < others ? Math.max(loaded, 0.5) : Math.min(loaded, 0.5);
  return { share, error: (dimensions === 2 ? 21 : 27) * U };
}

/**
 * Returns the sum of the loads of both bodies. `other` is the other particle; undefined at an obstacle or a wall, which
 * have no loads.
 */
function loadOfBoth({ radii, loads }: GridState, slot: number, other?: number): number {
  const loadAt = (of: number) => (radii && loads ? (loads[of] as number) : 0);
  return loadAt(slot) + (other === undefined ? 0 : loadAt(other));
}

export function restitutionBound(
  { restitution }: Substep,
  grid: GridState,
  slot: number,
  other?: number,
): ApproximateNumber {
  const load = loadOfBoth(grid, slot, other);
  const isExact = load === 0 || load > 2;
  return { value: restitution * Math.max(0, 1 - load), error: isExact ? 0 : 4 * U * restitution };
}

interface Geometry {
  readonly normal: readonly number[];
  /** 0 if the bodies are apart. */
  readonly overlap: number;
  readonly error: number;
  /** The largest overlap that may be computed although there is none. */
  readonly borderlineOverlap: number;
  readonly accuracy: Accuracy;
  readonly isBorderline: boolean;
  readonly hasNoBound: boolean;
}

function boundBalls(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  obstacles?: Obstacles,
  positionError = 0,
): Geometry | undefined {
  const { dimensions, period } = world;
  const others: Bodies = obstacles ?? grid;
  const radius = grid.radii?.[slot];
  const otherRadius = others.radii?.[other];
  // GPU and reference read the same rounded diameter, so it has no error.
  const reach = radius === undefined || otherRadius === undefined ? substep.diameter : radius + otherRadius;
  const reachError = grid.radii ? U * reach : 0;
  const apart = Array.from({ length: dimensions }, (_, axis) =>
    minimumImageInDoubles(
      component(dimensions, grid.positions, slot, other, axis, others.positions),
      period[axis] as number,
    ),
  );
  const squared = inner(apart, apart);
  const off = reachError + positionError;
  const band = pairBand(dimensions, reach, period) + (2 * reach + positionError) * off * SLACK;
  if (squared > reach * reach + band) return undefined;
  const distance = Math.sqrt(squared);
  const isCoincident = squared < COINCIDENT_SQUARED;
  const across = Math.max(
    ...apart.map((along, axis) =>
      along === component(dimensions, grid.positions, slot, other, axis, others.positions)
        ? 0
        : (period[axis] as number),
    ),
  );
  const apartError = Math.sqrt(dimensions) * U * across + positionError;
  const accuracy =
    apartError > 0 ? accuracyOf(dimensions, apartError / Math.max(distance, COINCIDENT)) : settled;
  return {
    normal: isCoincident ? coincidentNormal(dimensions, slot, other) : apart.map((along) => along / distance),
    overlap: isCoincident ? reach : Math.max(0, reach - distance),
    error: Math.max(distance * accuracy.distance, apartError) + reachError,
    borderlineOverlap: (dimensions + 3) * U * reach + 2 * off,
    accuracy,
    isBorderline: squared >= reach * reach - band,
    // Rounding may decide whether the particles count as coincident.
    hasNoBound:
      Math.abs(squared / COINCIDENT_SQUARED - 1) < 16 * U ||
      (positionError > 0 && distance < 2 * positionError + COINCIDENT),
  };
}

function boundShapes(
  { dimensions, period }: World,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  others: Bodies = grid,
  positionError = 0,
): Geometry | undefined {
  const half = ({ halves }: Bodies, body: number, axis: number) =>
    (halves?.[dimensions * body + axis] as number) || 0;
  const ballRadius = (of: Bodies, body: number) => (half(of, body, 0) > 0 ? 0 : (of.radii?.[body] as number));
  const radiusSum = ballRadius(grid, slot) + ballRadius(others, other);
  const apart: number[] = [];
  const depths: number[] = [];
  const errors: number[] = [];
  const outside: number[] = [];
  for (let axis = 0; axis < dimensions; axis++) {
    const direct = component(dimensions, grid.positions, slot, other, axis, others.positions);
    const along = minimumImageInDoubles(direct, period[axis] as number);
    const sides = half(grid, slot, axis) + half(others, other, axis);
    const beyond = Math.abs(along) - sides;
    const isExact = [direct, along, sides, beyond].every((value) => Math.fround(value) === value);
    const across = along === direct ? 0 : (period[axis] as number);
    apart.push(along);
    outside.push(Math.max(0, beyond));
    depths.push(Math.abs(along) < NOT_APART ? -sides : beyond);
    errors.push(positionError + (isExact ? 0 : U * (Math.abs(along) + sides + Math.abs(beyond) + across)));
  }
  const error = length(errors);
  const distance = length(outside);
  const isOutside = distance * distance >= COINCIDENT_SQUARED;
  const least = depths.indexOf(Math.max(...depths));
  const gap = isOutside ? distance : (depths[least] as number);
  const accuracy = isOutside && error > 0 ? accuracyOf(dimensions, (2 * error) / distance) : settled;
  const off = (isOutside ? distance * accuracy.distance : (errors[least] as number)) + U * radiusSum;
  const borderlineOverlap = 2 * off + (dimensions + 3) * U * radiusSum;
  const overlap = radiusSum - gap;
  if (overlap < -borderlineOverlap) return undefined;
  const along = apart[least] as number;
  const isUp = Math.abs(along) < NOT_APART ? slot > other : along > 0;
  const rivals = depths.filter(
    (_, axis) =>
      axis !== least &&
      (depths[least] as number) - (depths[axis] as number) <=
        (errors[least] as number) + (errors[axis] as number),
  );
  // These are the three cases that the header lists.
  const hasNoBound =
    error > 0 &&
    (isOutside ? distance <= 4 * error : -gap <= error || rivals.length > 0 || Math.abs(along) <= error);
  return {
    normal: isOutside
      ? outside.map((beyond, axis) => (Math.sign(apart[axis] as number) * beyond) / distance)
      : new Array<number>(dimensions).fill(0).with(least, isUp ? 1 : -1),
    overlap: Math.max(0, overlap),
    error: off,
    borderlineOverlap,
    accuracy,
    isBorderline: overlap <= borderlineOverlap,
    hasNoBound,
  };
}

/**
 * Returns `waves` of bound-law.ts, or undefined if the radii differ. The sum of all coordinates has k roundings per
 * coordinate. Then there are two products, and with variable radii a quotient.
 */
function wavesOf(
  dimensions: number,
  { deepRate }: Substep,
  { positions, radii }: GridState,
  slot: number,
  other: number,
): ApproximateNumber | undefined {
  const radius = radii?.[slot];
  if (radius !== radii?.[other]) return undefined;
  const rate = ASIDE_WAVES * (radius === undefined ? deepRate : DEEP / (2 * radius));
  const all = [slot, other].flatMap((of) => vectorOf(dimensions, positions, of));
  const value = rate * all.reduce((sum, along) => sum + along, 0);
  const magnitude = rate * all.reduce((sum, along) => sum + Math.abs(along), 0);
  const roundings = radius === undefined ? 2 : 7;
  return { value, error: U * (dimensions * magnitude + roundings * Math.abs(value)) };
}

/** `positionError` is the error of the position of `slot`. */
export function contactOf(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  other: number,
  settled: Accuracy,
  obstacles?: Obstacles,
  positionError = 0,
): ExactContact | undefined {
  const { dimensions } = world;
  const geometry = grid.halves
    ? boundShapes(world, grid, slot, other, settled, obstacles, positionError)
    : boundBalls(world, substep, grid, slot, other, settled, obstacles, positionError);
  if (!geometry) return undefined;
  const { normal, overlap, accuracy, isBorderline, hasNoBound } = geometry;
  const others: Bodies = obstacles ?? grid;
  const relative = obstacles
    ? vectorOf(dimensions, grid.velocities, slot)
    : Array.from({ length: dimensions }, (_, axis) =>
        component(dimensions, grid.velocities, slot, other, axis),
      );
  const speed = length(relative);
  const part = obstacles ? ON_OBSTACLE : partOf(world, grid, slot, other, true);
  return {
    normal,
    overlap,
    overlapError: hasNoBound
      ? Number.POSITIVE_INFINITY
      : geometry.error + U * overlap + (isBorderline ? geometry.borderlineOverlap : 0),
    relative,
    speed,
    approach: inner(relative, normal),
    // The approach is no faster than the relative velocity, whatever the normal is.
    approachError: hasNoBound ? 2 * speed : speed * accuracy.approach,
    accuracy,
    isNormalRelative: accuracy === settled,
    isBorderline,
    hasNoBound,
    part,
    unloadedPart: obstacles ? ON_OBSTACLE : partOf(world, grid, slot, other, false),
    restitution: restitutionBound(substep, grid, slot, obstacles ? undefined : other),
    borne: part === HALF ? 0 : loadOfBoth(grid, slot, obstacles ? undefined : other),
    size:
      grid.radii && others.radii
        ? 2 * Math.min(grid.radii[slot] as number, others.radii[other] as number)
        : substep.diameter,
    waves: obstacles ? undefined : wavesOf(dimensions, substep, grid, slot, other),
  };
}
