import { type Dimensions, defineWorld, type World, type WorldKind } from '../../../src/core/world/world';

/** Returns a world for particles of diameter 1: from 0 to `length` along each axis, or unbounded. */
export function cubeOf(kind: WorldKind, dimensions: Dimensions, length: number, capacity: number): World {
  if (kind === 'unbounded') return defineWorld({ dimensions, unbounded: true }, 1, capacity);
  const along = <Value>(value: Value) => new Array<Value>(dimensions).fill(value);
  const box = { dimensions, min: along(0), max: along(length), periodic: along(kind === 'periodic') };
  return defineWorld(box, 1, capacity);
}
