/**
 * Constants and integrals of the smoothing kernels. With q = distance / radius, poly6 is proportional to (1 − q²)³, and
 * spiky to (1 − q)³. `density`: rest density in particles per area (3D: volume).
 */
import type { Dimensions } from '../../core/world/world';

export interface Smoothing {
  /** Poly6 at its centre, divided by the rest density: the density that a particle adds to itself. */
  readonly weight: number;
  /** Size of the slope of the spiky kernel at its centre, divided by the rest density. Unit: 1 / length. */
  readonly slope: number;
  /** Poly6 at a fifth of the radius, divided by the rest density. Artificial pressure is relative to this value. */
  readonly nearWeight: number;
}

export function smoothingOf(dimensions: Dimensions, radius: number, density: number): Smoothing {
  const poly6 = dimensions === 2 ? 4 / (Math.PI * radius ** 2) : 315 / (64 * Math.PI * radius ** 3);
  const spiky = dimensions === 2 ? 30 / (Math.PI * radius ** 3) : 45 / (Math.PI * radius ** 4);
  const weight = poly6 / density;
  return { weight, slope: spiky / density, nearWeight: weight * (1 - 0.2 ** 2) ** 3 };
}

/** Returns the density for a spacing of half a radius: about 12 neighbours in 2D, 32 in 3D. */
export function defaultDensity(dimensions: Dimensions, radius: number): number {
  return (2 / radius) ** dimensions;
}

/** Returns the integral of 3D poly6 over a plane, times the radius. The plane is `away` radii from the centre. */
export function inPlane(away: number): number {
  const left = 1 - Math.min(Math.abs(away), 1) ** 2;
  return (315 / 256) * left ** 4;
}

/** Returns the share of 3D poly6 beyond a plane that is `away` radii from the centre; `away` may be negative. */
export function farther(away: number): number {
  const size = Math.min(Math.abs(away), 1);
  const square = size * size;
  const inner = 6 / 5 + square * (-4 / 7 + square / 9);
  const within = size * (1 + square * (-4 / 3 + square * inner));
  const share = Math.max(0, 0.5 - (315 / 256) * within);
  return away < 0 ? 1 - share : share;
}
