import { describe, expect, it, vi } from 'vitest';
import { createCpuGrid } from '../../../../src/cpu';
import { CellOrder } from '../../../../src/cpu/equal/order';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { cubeOf } from '../../../helpers/inputs/cubes';
import { DIMENSIONS } from '../../../helpers/passes';

describe('the sort of a grid with a large capacity', () => {
  it('loops over rows and columns instead of cells if there are few particles', () => {
    const min = [0, 0];
    const roomy = createCpuGrid({ dimensions: 2, min, max: [500, 500], diameter: 1, capacity: 200_000 });
    const clear = vi.spyOn(Object.getPrototypeOf(Uint32Array.prototype) as Uint32Array, 'fill');
    try {
      roomy.build(Float32Array.of(1, 1, 1.5, 1, 400, 400));
      const cleared = clear.mock.calls.map(([, begin = 0, end], call) => {
        const { length } = clear.mock.contexts[call] as Uint32Array;
        return (end ?? length) - begin;
      });
      expect(cleared.length).toBeGreaterThan(0);
      expect(cleared.reduce((sum, entries) => sum + entries, 0)).toBeLessThan(2000);
    } finally {
      clear.mockRestore();
    }
    expect(roomy.countPairs()).toBe(1);
  });
});

describe.each(DIMENSIONS)('the census of a CellOrder in %dD', (dimensions) => {
  it('counts the cells of the finite particles, at full capacity and below it', () => {
    const capacity = 150;
    const order = new CellOrder(defineLattice(cubeOf('bounded', dimensions, 8, capacity)), capacity);
    const censusOf = (along: readonly number[]) => {
      const positions = Float32Array.from(along.flatMap((x) => new Array<number>(dimensions).fill(x)));
      const words = new Uint32Array(positions.buffer);
      order.sort(positions, words, along.length, new Uint32Array(positions.length));
      return order.census();
    };
    const cell = (count: number, x: number) => new Array<number>(count).fill(x);
    expect(censusOf([])).toEqual({ occupiedCells: 0, greatestOccupancy: 0, crowded: 0 });
    expect(censusOf([...cell(129, 0.5), ...cell(20, 3.5), 7.5])).toEqual({
      occupiedCells: 3,
      greatestOccupancy: 129,
      crowded: 129,
    });
    // 128 particles in a cell are not yet a crowd.
    expect(censusOf([...cell(128, 0.5), ...cell(2, 3.5), Number.NaN])).toEqual({
      occupiedCells: 2,
      greatestOccupancy: 128,
      crowded: 0,
    });
    expect(censusOf([2.5, 0.5, 2.5])).toEqual({ occupiedCells: 2, greatestOccupancy: 2, crowded: 0 });
  });
});
