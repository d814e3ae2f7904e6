import type { Dimensions } from '../../../src/core/world/world';
import { repeat } from '../../../src/scenes/scene';

export function cornersIn(dimensions: Dimensions): (value: number) => number[] {
  return (value) => repeat(value, dimensions);
}
