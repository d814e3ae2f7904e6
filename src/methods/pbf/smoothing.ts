/**
 * Purpose: the numbers that the smoothing kernels of the position-based fluid are made of, for shaders and reference.
 * Inputs: the radius beyond which nothing is felt, the density at rest in particles a unit of area (volume).
 */
import type { Dimensions } from '../../index';

export interface Smoothing {
  /** Poly6 at its centre, over the density at rest: what a particle adds to its own density. */
  readonly weight: number;
  /** Slope of the spiky kernel at its centre, over the density at rest, 1 / length. */
  readonly slope: number;
  /** Poly6 at a fifth of the radius, which artificial pressure is measured by. */
  readonly nearWeight: number;
}

export function smoothingOf(dimensions: Dimensions, radius: number, density: number): Smoothing {
  const poly6 = dimensions === 2 ? 4 / (Math.PI * radius ** 2) : 315 / (64 * Math.PI * radius ** 3);
  const spiky = dimensions === 2 ? 30 / (Math.PI * radius ** 3) : 45 / (Math.PI * radius ** 4);
  const weight = poly6 / density;
  return { weight, slope: spiky / density, nearWeight: weight * (1 - 0.2 ** 2) ** 3 };
}

/** As dense as a lattice with a spacing of half a radius: some 12 neighbours in the plane, 32 in space. */
export function defaultDensity(dimensions: Dimensions, radius: number): number {
  return (2 / radius) ** dimensions;
}

/** Of poly6 in space, the share in a plane so many radii away, for each radius. */
export function inPlane(away: number): number {
  const left = 1 - Math.min(Math.abs(away), 1) ** 2;
  return (315 / 256) * left ** 4;
}

/** What of it is farther on than that plane, which may be on either side. */
export function farther(away: number): number {
  const size = Math.min(Math.abs(away), 1);
  const square = size * size;
  const inner = 6 / 5 + square * (-4 / 7 + square / 9);
  const within = size * (1 + square * (-4 / 3 + square * inner));
  const share = Math.max(0, 0.5 - (315 / 256) * within);
  return away < 0 ? 1 - share : share;
}
