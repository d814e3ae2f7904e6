/**
 * Purpose: the oracle for bodies of which some are boxes: every two are held against each other, in doubles, with no cells
 * and no balls around boxes to be wrong about.
 * Inputs: packed positions, sizes (see src/core/shapes.ts), the length of the world along axes that wrap around (0 along
 * others). Outputs: the overlapping pairs, and those that 32-bit floats may decide otherwise.
 */
import { shapeBorderline } from '../core/borderline';
import type { Sizes } from '../core/shapes';
import type { Dimensions, World } from '../core/world';
import { nearestImage } from './contact';
import { isFiniteParticle } from './finite';
import { type OraclePairs, PairCollector } from './pair-list';

export function bruteForceShapes(
  dimensions: Dimensions,
  positions: Float32Array,
  { radii, halves }: Sizes,
  ends: Pick<World, 'min' | 'period'>,
  ids?: Uint32Array,
): OraclePairs {
  const count = positions.length / dimensions;
  const half = (body: number, axis: number) => (halves?.[dimensions * body + axis] as number) || 0;
  const rounding = (body: number) => (half(body, 0) > 0 ? 0 : (radii?.[body] as number));
  const overlapping = new PairCollector();
  const ambiguous = new PairCollector();
  for (let a = 0; a < count; a++) {
    if (!isFiniteParticle(dimensions, positions, a)) continue;
    for (let b = a + 1; b < count; b++) {
      if (!isFiniteParticle(dimensions, positions, b)) continue;
      const round = rounding(a) + rounding(b);
      let squared = 0;
      let least = Number.NEGATIVE_INFINITY;
      let size = round;
      for (let axis = 0; axis < dimensions; axis++) {
        const apart =
          (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
        const sides = half(a, axis) + half(b, axis);
        const beyond = Math.abs(nearestImage(apart, ends.period[axis] as number)) - sides;
        squared += Math.max(0, beyond) ** 2;
        least = Math.max(least, beyond);
        size += sides;
      }
      const isOverlap = squared > 0 ? squared < round * round : least < round;
      const overlap = round - (squared > 0 ? Math.sqrt(squared) : least);
      const idA = ids ? (ids[a] as number) : a;
      const idB = ids ? (ids[b] as number) : b;
      if (isOverlap) overlapping.add(idA, idB);
      if (overlap !== 0 && Math.abs(overlap) <= shapeBorderline(size, ends)) ambiguous.add(idA, idB);
    }
  }
  return { overlapping: overlapping.toPairList(), ambiguous: ambiguous.toPairList() };
}
