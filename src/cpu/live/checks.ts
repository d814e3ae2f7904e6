/** Checks the arguments of a CpuIndex. */
import { checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import type { Bounds } from '../../core/world/bounds';
import { type Dimensions, LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';

/** `half` is half the shortest period. A ball with a larger radius would overlap its own image. */
export function checkRadius(radius: unknown, half: number): asserts radius is number {
  const most = Math.min(LARGEST_DIAMETER / 2, half);
  if (typeof radius === 'number') {
    const rounded = Math.fround(radius);
    if (rounded >= SMALLEST_DIAMETER / 2 && rounded <= most) return;
  }
  const accepted = most === half ? `${half}, half the shortest period` : '2^59';
  throw new ArgumentError('radius', radius, `a number from 2^-41 to ${accepted}`);
}

export function halfPeriod({ period }: Bounds): number {
  return Math.min(...period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
}

/** Like checkVector, but returns false instead of throwing an error. */
export function isVector(value: ArrayLike<number>, dimensions: number): boolean {
  if (!(Array.isArray(value) || ArrayBuffer.isView(value)) || value.length !== dimensions) return false;
  for (let axis = 0; axis < dimensions; axis++) {
    const component: unknown = value[axis];
    if (typeof component !== 'number' || !Number.isFinite(Math.fround(component))) return false;
  }
  return true;
}

export function vectorOf(argument: string, value: ArrayLike<number>, dimensions: Dimensions): number[] {
  if (!isVector(value, dimensions)) checkVector(argument, value, dimensions);
  return Array.from(value);
}
