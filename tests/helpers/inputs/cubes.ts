/** Worlds for particles of diameter 1. */
import { type Dimensions, defineWorld, type World, type WorldKind } from '../../../src/core/world/world';

/** Returns a world between 0 and `length` along each axis, or an unbounded one. */
export function cubeOf(kind: WorldKind, dimensions: Dimensions, length: number, capacity: number): World {
  if (kind === 'unbounded') return defineWorld({ dimensions, unbounded: true }, 1, capacity);
  const along = <Value>(value: Value) => new Array<Value>(dimensions).fill(value);
  const box = { dimensions, min: along(0), max: along(length), periodic: along(kind === 'periodic') };
  return defineWorld(box, 1, capacity);
}
