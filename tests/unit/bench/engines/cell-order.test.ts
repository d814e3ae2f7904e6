import { describe, expect, it } from 'vitest';
import { layOutCells } from '../../../../bench/engines/cell-order';
import { type BenchScene, createBenchScene } from '../../../../bench/harness/scenes';

const scene = (changes: Partial<BenchScene>): BenchScene => ({
  ...createBenchScene('uniform', { dimensions: 2, count: 100 }),
  ...changes,
});

const numbersOf = (tables: readonly Uint32Array[]) =>
  tables.reduce<number[]>((sums, table) => [...table].flatMap((own) => sums.map((sum) => sum + own)), [0]);

describe('the order of cells', () => {
  it('numbers rows one after another, without gaps', () => {
    const { tables, cells } = layOutCells(scene({ min: [0, 0], max: [4.5, 2.5] }), false);
    expect(tables.map((table) => [...table])).toEqual([
      [0, 1, 2, 3, 4],
      [0, 5, 10],
    ]);
    expect(cells).toBe(15);
  });

  it('interleaves bits in Morton order; bits that only the longer axis has become the highest', () => {
    const { tables, cells } = layOutCells(scene({ min: [0, 0], max: [7.5, 1.5] }), true);
    expect(tables.map((table) => [...table])).toEqual([
      [0, 1, 4, 5, 8, 9, 12, 13],
      [0, 2],
    ]);
    expect(cells).toBe(16);
  });

  it.each([
    [2, 'uniform'],
    [3, 'uniform'],
    [2, 'line-y'],
    [3, 'huge'],
  ] as const)('gives no two cells the same number, in %dD, in the scene %s', (dimensions, name) => {
    const bodies = createBenchScene(name, { dimensions, count: 300 });
    for (const morton of [false, true]) {
      const { tables, cells, cellSize } = layOutCells(bodies, morton);
      const numbers = numbersOf(tables);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.max(...numbers)).toBe(cells - 1);
      expect(cellSize).toBeGreaterThan(2 * bodies.radius);
      // The last cell contains the upper end of the box.
      tables.forEach((table, axis) => {
        const edge = (bodies.max[axis] as number) - (bodies.min[axis] as number);
        expect(Math.floor(edge * (1 / cellSize))).toBe(table.length - 1);
      });
    }
  });
});
