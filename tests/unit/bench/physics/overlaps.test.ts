import { expect, it } from 'vitest';
import { measureOverlaps } from '../../../../bench/physics/overlaps';

it('measureOverlaps returns the mean and the deepest overlap, in diameters', () => {
  // The diameter is 2. One pair overlaps by 1, one by 0.5, and one only touches.
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 10, 0, 0, 10, 1.5, 0, 20, 0, 0, 20, 0, 2);
  expect(measureOverlaps(3, positions, 2)).toEqual({ pairs: 2, mean: 0.375, deepest: 0.5 });
  expect(measureOverlaps(2, Float32Array.of(0, 0, 3, 0), 2)).toEqual({ pairs: 0, mean: 0, deepest: 0 });
});

it('measureOverlaps returns NaN for the mean and the deepest overlap if a position is not finite', () => {
  const { mean, deepest } = measureOverlaps(2, Float32Array.of(0, 0, 0.5, 0, Number.NaN, 0), 1);
  expect([mean, deepest]).toEqual([Number.NaN, Number.NaN]);
});
