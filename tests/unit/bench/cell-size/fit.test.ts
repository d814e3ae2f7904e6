import { describe, expect, it } from 'vitest';
import { fitCosts } from '../../../../bench/cell-size/fit';

describe('fitCosts', () => {
  const samples = (candidate: number, cell: number, range: number) =>
    [0.5, 1, 2, 3].flatMap((size) =>
      [0.1, 1].map((density) => {
        const candidates = density * (3 * size) ** 2;
        const cells = 1 / (density * size ** 2);
        return { candidates, cells, ranges: 3, least: candidate * candidates + cell * cells + range * 3 };
      }),
    );

  it('recovers the costs from which the times were computed', () => {
    for (const [candidate, cell, range] of [
      [4, 32, 100],
      [4, 0, 100],
      [40, 7, 0],
    ] as const) {
      const costs = fitCosts(samples(candidate, cell, range));
      expect(costs.candidate).toBeCloseTo(candidate, 6);
      expect(costs.cell).toBeCloseTo(cell, 6);
      expect(costs.range).toBeCloseTo(range, 6);
      expect(costs.error).toBeCloseTo(0, 6);
    }
  });

  it('never finds a negative cost', () => {
    const { cell, error } = fitCosts(samples(40, -0.5, 100));
    expect(cell).toBe(0);
    expect(error).toBeGreaterThan(0);
  });
});
