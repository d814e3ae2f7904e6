/** Converts between the floats and the whole numbers of exact simulations. */
import { fillFrom } from '../base/fill';
import { toPosition, toVelocity } from './bodies';
import type { Quanta } from './quanta';

export interface Floats {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** Converts floats to whole numbers. */
export function toExact(
  quanta: Quanta,
  { positions, velocities }: Floats,
): { readonly positions: Int32Array; readonly velocities: Int32Array } {
  const dimensions = quanta.period.length;
  return {
    positions: fillFrom(new Int32Array(positions.length), positions, (position, word) =>
      toPosition(quanta, position, word % dimensions),
    ),
    velocities: fillFrom(new Int32Array(velocities.length), velocities, (velocity) =>
      toVelocity(quanta, velocity),
    ),
  };
}

/** Converts the positions of obstacles, and wraps them into the world. */
export function toExactObstacles(quanta: Quanta, positions: Float32Array): Int32Array {
  const { period } = quanta;
  return fillFrom(new Int32Array(positions.length), positions, (position, word) => {
    const axis = word % period.length;
    return wrapExactly(toPosition(quanta, position, axis), period[axis] as number);
  });
}

/** Returns the nearest floats. */
export function toFloats(
  { origin, length }: Quanta,
  { positions, velocities }: { readonly positions: Int32Array; readonly velocities: Int32Array },
): Floats {
  return {
    positions: fillFrom(
      new Float32Array(positions.length),
      positions,
      (position, word) => (origin[word % origin.length] as number) + position * length,
    ),
    velocities: fillFrom(new Float32Array(velocities.length), velocities, (velocity) => velocity * length),
  };
}

/** Wraps a coordinate in quanta. `period` is 0 if the axis does not wrap. */
export function wrapExactly(position: number, period: number): number {
  if (period === 0 || (position >= 0 && position < period)) return position;
  return position - period * Math.floor(position / period);
}
