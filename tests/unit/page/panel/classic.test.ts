import { describe, expect, it } from 'vitest';
import { createCpuGrid } from '../../../../src/cpu';
import { CLASSIC_COUNTS, classicRow, sparseMemory } from '../../../../src/page/panel/classic';
import { Random } from '../../../../src/scenes';

describe('the classic table', () => {
  it('has n(n−1)/2 pairs, and about nine tests per disc with a grid', () => {
    expect(CLASSIC_COUNTS.map(classicRow)).toEqual([
      { count: 100, pairs: 4950, tests: 820 },
      { count: 1000, pairs: 499_500, tests: 8612 },
      { count: 10_000, pairs: 49_995_000, tests: 88_480 },
    ]);
    const { pairs, tests } = classicRow(10_000);
    expect(Math.round(pairs / tests)).toBe(565);
  });

  it.each(CLASSIC_COUNTS)(
    'has two tests per candidate of the CPU grid, which tests each pair once, for %d discs',
    (count) => {
      const edge = Math.round(Math.sqrt(count));
      const random = new Random(1);
      const positions = new Float32Array(2 * count);
      for (let disc = 0; disc < count; disc++) {
        positions[2 * disc + 1] = random.below(edge) + 0.5;
        positions[2 * disc] = random.below(edge) + 0.5;
      }
      const grid = createCpuGrid({
        dimensions: 2,
        min: [0, 0],
        max: [edge, edge],
        diameter: 1,
        capacity: count,
      });
      grid.build(positions);
      expect(2 * grid.countCandidates()).toBe(classicRow(count).tests);
    },
  );

  it('has no pair and no test for a single disc', () => {
    expect(classicRow(1)).toEqual({ count: 1, pairs: 0, tests: 0 });
  });

  it('states 134 MB for the cells of a sparse world, and less than 1 MB with a hash table', () => {
    const { count, cells, dense, hash } = sparseMemory();
    expect({ count, cells }).toEqual({ count: 10_000, cells: 4096 ** 2 });
    // With the ring there are 4,098² cells. A disc stores its cell in 4 bytes, or in 8 with the hash table.
    expect(dense).toBe(8 * 4098 ** 2 + 4 * count);
    expect(hash).toBe(8 * 2 ** 14 + 8 * count);
    expect(Math.round(dense / 1e6)).toBe(134);
    expect(hash).toBeLessThan(1e6);
  });
});
