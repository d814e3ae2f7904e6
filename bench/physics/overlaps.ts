/**
 * Measures overlaps of equal balls. If a position is not finite, the grid leaves it out, and mean and deepest are NaN.
 */
import type { Dimensions } from '../../src/core/world/world';
import { createCpuGrid } from '../../src/cpu';

export interface OverlapMeasures {
  readonly pairs: number;
  /** The mean over overlapping pairs, in diameters; 0 if there are none. */
  readonly mean: number;
  /** The deepest overlap, in diameters. */
  readonly deepest: number;
}

export function measureOverlaps(
  dimensions: Dimensions,
  positions: Float32Array,
  diameter: number,
): OverlapMeasures {
  const capacity = positions.length / dimensions;
  const grid = createCpuGrid({ dimensions, unbounded: true, diameter, capacity });
  grid.build(positions);
  let pairs = 0;
  let sum = 0;
  let deepest = 0;
  grid.forEachPair((a, b) => {
    let squares = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      squares +=
        ((positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number)) ** 2;
    }
    const depth = 1 - Math.sqrt(squares) / diameter;
    pairs++;
    sum += depth;
    deepest = Math.max(deepest, depth);
  });
  if (!positions.every(Number.isFinite)) return { pairs, mean: Number.NaN, deepest: Number.NaN };
  return { pairs, mean: pairs > 0 ? sum / pairs : 0, deepest };
}
