/**
 * Makes vectors of equal numbers, such as corners of boxes: `const corner = cornersIn(dimensions)`, then `corner(8)`.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { repeat } from '../../../src/scenes/scene';

export function cornersIn(dimensions: Dimensions): (value: number) => number[] {
  return (value) => repeat(value, dimensions);
}
