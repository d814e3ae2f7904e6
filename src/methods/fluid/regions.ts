/** Boxes and balls in the tank, and the random offsets of new particles. */
import { checkKnownKeys, checkRange, checkVector } from '../../core/base/checks';

/** A box or a ball in the tank. */
export type FluidRegion =
  | {
      /** Lowest corner. */
      readonly min: readonly number[];
      /** Highest corner. */
      readonly max: readonly number[];
      /** Velocity of the fluid that starts here, length / s. Default: 0. Leave it out for a drain. */
      readonly velocity?: readonly number[] | undefined;
    }
  | {
      /** Centre of the ball. */
      readonly centre: readonly number[];
      /** Radius of the ball, 0 to 2³⁰. */
      readonly radius: number;
      /** Velocity of the fluid that starts here, length / s. Default: 0. Leave it out for a drain. */
      readonly velocity?: readonly number[] | undefined;
    };

export function isInRegion(region: FluidRegion, point: readonly number[]): boolean {
  if ('radius' in region) {
    return (
      point.reduce((sum, value, axis) => sum + (value - (region.centre[axis] as number)) ** 2, 0) <
      region.radius ** 2
    );
  }
  return point.every(
    (value, axis) => value >= (region.min[axis] as number) && value < (region.max[axis] as number),
  );
}

export function holdsBox(region: FluidRegion, low: readonly number[], high: readonly number[]): boolean {
  if (!('radius' in region)) {
    const { min, max } = region;
    return low.every(
      (value, axis) => value >= (min[axis] as number) && (high[axis] as number) <= (max[axis] as number),
    );
  }
  const { centre } = region;
  // A ball holds a box if it holds the box's farthest corner.
  return isInRegion(
    region,
    low.map((value, axis) => {
      const [middle, end] = [centre[axis] as number, high[axis] as number];
      return middle - value > end - middle ? value : end;
    }),
  );
}

export function cornersOf(region: FluidRegion): {
  readonly min: readonly number[];
  readonly max: readonly number[];
} {
  if (!('radius' in region)) return region;
  const { centre, radius } = region;
  return { min: centre.map((value) => value - radius), max: centre.map((value) => value + radius) };
}

export function checkRegion(name: string, region: FluidRegion, dimensions: 2 | 3): void {
  const isBall = typeof region === 'object' && region !== null && 'radius' in region;
  checkKnownKeys(name, region, isBall ? ['centre', 'radius', 'velocity'] : ['min', 'max', 'velocity']);
  if ('radius' in region) {
    checkVector(`${name}.centre`, region.centre, dimensions);
    checkRange(`${name}.radius`, region.radius, 0, 2 ** 30);
  } else {
    checkVector(`${name}.min`, region.min, dimensions);
    checkVector(`${name}.max`, region.max, dimensions);
  }
  if (region.velocity !== undefined) checkVector(`${name}.velocity`, region.velocity, dimensions);
}

export function copyRegion(region: FluidRegion): FluidRegion {
  const velocity = region.velocity && { velocity: Array.from(region.velocity) };
  return 'radius' in region
    ? { centre: Array.from(region.centre), radius: region.radius, ...velocity }
    : { min: Array.from(region.min), max: Array.from(region.max), ...velocity };
}

/** Random offsets are up to ±JITTER / 2 initial spacings. Without offsets, particles would stay in rows. */
export const JITTER = 0.4;

/** Returns a hash, from 0 to below 1. */
export function noise(index: number, axis: number): number {
  let bits = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(axis + 1, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
