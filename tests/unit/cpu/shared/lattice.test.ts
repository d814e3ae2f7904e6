import { describe, expect, it } from 'vitest';
import { ArgumentError, LimitError } from '../../../../src/core/base/errors';
import { cellOfParticle } from '../../../../src/core/world/cells';
import { type Dimensions, defineWorld } from '../../../../src/core/world/world';
import { createCpuGrid } from '../../../../src/cpu';
import { reserve, reservedCells } from '../../../../src/cpu/shared/lattice';

describe('a lattice', () => {
  it('is described by the error message if it cannot be allocated', () => {
    const { cells } = defineWorld({ dimensions: 2, min: [0, 0], max: [5, 3] }, 1);
    // A real allocation would take all the memory of the machine before it failed.
    const tooLong = () => new Float32Array(2 ** 53);
    expect(() => reserve(7, tooLong, cells)).toThrow(LimitError);
    expect(() => reserve(7, tooLong, cells)).toThrow(/^7 particles in 7 × 5 cells take more memory/);
    expect(reserve(7, () => 'made')).toBe('made');
    const otherwise = () => {
      throw new ArgumentError('radius', 0, 'more');
    };
    expect(() => reserve(7, otherwise)).toThrow(ArgumentError);
  });

  it.each([
    { max: [3, 4], periodic: [true, true] },
    { max: [4, 3], periodic: [true, false] },
    { max: [5, 4], periodic: [false, true] },
    { max: [3, 3, 4], periodic: [true, true, true] },
    { max: [4, 3, 5], periodic: [false, false, true] },
  ])(
    'has the cell numbers of core/world/cells.ts with $max cells, periodic $periodic',
    ({ max, periodic }) => {
      const dimensions = max.length as Dimensions;
      const options = { dimensions, min: max.map(() => 0), max, periodic };
      const world = defineWorld(options, 1);
      const centres: number[][] = [];
      for (let z = 0; z < (max[2] ?? 1); z++)
        for (let y = 0; y < (max[1] as number); y++)
          for (let x = 0; x < (max[0] as number); x++) centres.push([x, y, z].slice(0, dimensions));
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: centres.length });
      grid.build(Float32Array.from(centres.flat()));
      // The positions are in the order of their cells, so slots equal indices.
      expect([...grid.ids()]).toEqual(centres.map((_, index) => index));
      expect([...grid.cells()]).toEqual(centres.map((centre) => cellOfParticle(world, centre, 0)));
    },
  );

  it('is rejected with a message that gives its number of cells or, in an unbounded world, of particles', () => {
    const unbounded = defineWorld({ dimensions: 2, unbounded: true }, 1, 7);
    const tooLong = () => new Float32Array(2 ** 53);
    expect(() => reserve(7, tooLong, reservedCells(unbounded))).toThrow(
      '7 particles take more memory than this JavaScript engine can allocate: choose a smaller capacity.',
    );
    const flat = { dimensions: 3 as const, min: [0, 0, 0], max: [3, 26_000, 26_000], cellSize: 1 };
    const grid = () => createCpuGrid({ ...flat, periodic: true, diameter: 0.5, capacity: 1 });
    expect(grid).toThrow(LimitError);
    expect(grid).toThrow(
      /^3 × 26000 × 26000 cells, and one more at each end of axes that wrap around, are more/,
    );
  });
});
