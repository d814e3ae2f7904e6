import { describe, expect, it } from 'vitest';
import { createFlockScene } from '../../../src/scenes/method-scene';

describe('a flock scene', () => {
  it('has its birds inside the box and a hunter near a bird, and is the same for the same seed', () => {
    for (const dimensions of [2, 3] as const) {
      const of = (seed: number, count = 400) =>
        createFlockScene('murmuration', { dimensions, count, width: 1, seed });
      const { positions, max, hunters, fear = 0 } = of(1);
      positions.forEach((value, index) => {
        expect(value).toBeGreaterThan(0);
        expect(value).toBeLessThan(max?.[index % dimensions] ?? 0);
      });
      const ways = Array.from({ length: positions.length / dimensions }, (_, bird) =>
        Math.hypot(
          ...Array.from(hunters, (value, axis) => value - (positions[dimensions * bird + axis] ?? 0)),
        ),
      );
      expect(Math.min(...ways)).toBeLessThan(fear);
      expect(of(1).positions).toEqual(positions);
      expect(of(2).positions).not.toEqual(positions);
    }
  });
});
