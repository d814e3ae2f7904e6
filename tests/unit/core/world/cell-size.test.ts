import { describe, expect, it } from 'vitest';
import * as gpuEntry from '../../../../src';
import { ArgumentError } from '../../../../src/core/base/errors';
import {
  type CellSizeOptions,
  type RadiiOfParticles,
  suggestCellSize,
} from '../../../../src/core/world/cell-size';
import { defineWorld } from '../../../../src/core/world/world';
import * as cpuEntry from '../../../../src/cpu';
import { createCpuGrid } from '../../../../src/cpu';
import { Random } from '../../../../src/scenes/random';
import { cornersIn } from '../../../helpers/inputs/vectors';

import { fc, runs } from '../../../helpers/properties';

const DIMENSIONS = [2, 3] as const;

describe('suggestCellSize', () => {
  it('is public in both entry points', () => {
    expect(gpuEntry.suggestCellSize).toBe(suggestCellSize);
    expect(cpuEntry.suggestCellSize).toBe(suggestCellSize);
  });

  it('suggests the largest diameter if no density is given; unbounded worlds round it up to a power of two', () => {
    for (const radii of [
      3,
      Float32Array.of(1, 3, 2),
      Float64Array.of(3),
      { smallest: 2, largest: 3 },
    ] satisfies RadiiOfParticles[]) {
      const suggestion = suggestCellSize(radii);
      expect(suggestion).toMatchObject({ cellSize: 6, diameter: 6, candidates: undefined, cells: undefined });
      expect(suggestion.reason).toMatch(/^Cells are as large as the largest diameter; /);
    }
    expect(suggestCellSize(3, { unbounded: true }).cellSize).toBe(8);
    expect(suggestCellSize(4, { unbounded: true }).cellSize).toBe(8);
    // In an unbounded world, a density does not change the size.
    for (const density of [undefined, 1e-9]) {
      const { cellSize, reason } = suggestCellSize(3, { dimensions: 2, density, unbounded: true });
      expect(cellSize).toBe(8);
      expect(reason).toMatch(
        /ells are as large as the power of two [^.]*, larger ones only add candidates\.$/,
      );
    }
  });

  it('suggests sizes that every world accepts, for any radius and density', () => {
    const radius = fc.oneof(
      fc.double({ min: 2 ** -41, max: 2 ** 59, noNaN: true }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.integer({ min: -41, max: 59 }).map((exponent) => 2 ** exponent),
    );
    const densities = fc.option(fc.double({ min: 1e-6, max: 100, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(
        radius,
        densities,
        fc.constantFrom(...DIMENSIONS),
        fc.constantFrom('cpu', 'gpu'),
        fc.constantFrom('bounded', 'periodic', 'unbounded'),
        (largest, within, dimensions, engine, kind) => {
          const diameter = 2 * largest;
          const density = within === undefined ? undefined : within / diameter ** dimensions;
          const unbounded = kind === 'unbounded';
          const { cellSize, candidates, cells } = suggestCellSize(largest, {
            dimensions,
            density,
            engine,
            unbounded,
          });
          const corner = cornersIn(dimensions);
          const world = unbounded
            ? defineWorld({ dimensions, unbounded, cellSize }, diameter)
            : defineWorld(
                {
                  dimensions,
                  min: corner(0),
                  // A periodic world must have room for three cells.
                  max: corner(Math.max(20 * diameter, 4 * cellSize)),
                  cellSize,
                  periodic: kind === 'periodic',
                },
                diameter,
              );
          // Other worlds may widen the suggested size a little.
          if (unbounded) expect(world.cellSize).toBe(cellSize);
          else expect(Math.abs(world.cellSize / cellSize - 1)).toBeLessThan(1e-4);
          expect(cellSize).toBeGreaterThanOrEqual(diameter);
          expect(cellSize).toBeLessThanOrEqual((unbounded ? 2.001 : 256.001) * diameter);
          if (engine === 'cpu' && !unbounded) expect(cellSize).toBe(diameter);
          expect(candidates === undefined).toBe(density === undefined);
          if (density === undefined || candidates === undefined) return;
          expect(candidates / (density * (3 * cellSize) ** dimensions)).toBeCloseTo(1, 6);
          if (cells !== undefined) expect(cells * density * cellSize ** dimensions).toBeCloseTo(1, 6);
          expect(cells === undefined).toBe(unbounded);
        },
      ),
      runs(2000),
    );
  });

  it('suggests larger cells on the GPU as particles thin out', () => {
    for (const dimensions of DIMENSIONS) {
      const sizes = [1, 0.3, 0.1, 0.03, 0.01, 0.001].map((density) => {
        const { cellSize, reason } = suggestCellSize(0.5, { dimensions, density });
        expect(reason).toMatch(
          cellSize > 1 ? /% less time\.$/ : /Larger cells would save less than 5% of the time, if any\.$/,
        );
        return cellSize;
      });
      expect(sizes[0]).toBe(1);
      expect(sizes.at(-1)).toBeGreaterThan(4);
      expect(suggestCellSize(0.5, { dimensions, density: 1e-12 }).cellSize).toBe(256);
      const lonely = suggestCellSize(0.5, { dimensions, density: Number.MIN_VALUE });
      expect([lonely.cellSize, lonely.reason.includes('NaN')]).toEqual([256, false]);
      expect(Number.isFinite(lonely.cells)).toBe(true);
      expect(new Set(sizes).size).toBeGreaterThan(3);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    }
  });

  it('is near the fastest measured size at low densities, and one diameter at high ones (docs/cell-size.md)', () => {
    const suggest = (dimensions: 2 | 3, density: number) =>
      suggestCellSize(0.5, { dimensions, density }).cellSize;
    for (const dimensions of DIMENSIONS) {
      expect(suggest(dimensions, 1)).toBe(1);
      expect(suggest(dimensions, 0.3)).toBe(1);
    }
    expect(suggest(2, 0.05)).toBeGreaterThanOrEqual(2);
    expect(suggest(2, 0.05)).toBeLessThanOrEqual(3);
    expect(suggest(3, 0.05)).toBeGreaterThanOrEqual(1.25);
    expect(suggest(3, 0.05)).toBeLessThanOrEqual(2);
    // The fastest measured sizes are 16, 32, 128, 4 and 8 diameters, in this order.
    for (const [dimensions, density, least, most] of [
      [2, 0.002, 8, 32],
      [2, 0.0002, 16, 64],
      [2, 0.00001, 64, 512],
      [3, 0.002, 4, 6],
      [3, 0.0002, 8, 16],
    ] as const) {
      expect(suggest(dimensions, density)).toBeGreaterThanOrEqual(least);
      expect(suggest(dimensions, density)).toBeLessThanOrEqual(most);
    }
  });

  it('does not depend on the unit of length', () => {
    for (const dimensions of DIMENSIONS) {
      for (const density of [1, 0.1, 0.01]) {
        const one = suggestCellSize(0.5, { dimensions, density });
        const other = suggestCellSize(8, { dimensions, density: density / 16 ** dimensions });
        expect(other.cellSize).toBeCloseTo(16 * one.cellSize, 9);
        expect(other.candidates).toBeCloseTo(one.candidates as number, 9);
        expect(other.reason).toBe(one.reason);
      }
    }
  });

  it('estimates the candidates of random particles', () => {
    for (const dimensions of DIMENSIONS) {
      const density = 0.125;
      const edge = dimensions === 2 ? 200 : 30;
      const count = density * edge ** dimensions;
      const random = new Random(3);
      const positions = Float32Array.from(
        { length: dimensions * count },
        () => random.below(1024 * edge) / 1024,
      );
      const { cellSize, candidates } = suggestCellSize(0.5, { dimensions, density });
      const corner = cornersIn(dimensions);
      const options = { dimensions, min: corner(0), max: corner(edge), cellSize };
      const { candidates: pairs } = cpuEntry
        .createCpuSimulation({ ...options, periodic: true, radius: 0.5, positions })
        .measure();
      expect(Math.abs(1 - (2 * pairs) / count / (candidates as number))).toBeLessThan(0.1);
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: count });
      grid.build(positions);
      const plain = createCpuGrid({ ...options, cellSize: undefined, diameter: 1, capacity: count });
      plain.build(positions);
      expect(grid.findPairs()).toEqual(plain.findPairs());
      expect(grid.countPairs()).toBeGreaterThan(0);
    }
  });

  it('mentions in its reason that the largest particle is many times the smallest', () => {
    const { reason, cellSize } = suggestCellSize({ smallest: 1, largest: 8 });
    expect(cellSize).toBe(16);
    expect(reason).toMatch(/The largest particle is 8 times the smallest\. /);
    expect(suggestCellSize({ smallest: 1, largest: 2 }).reason).not.toMatch(/times the smallest/);
  });

  it.each<[unknown, unknown, RegExp]>([
    [0, {}, /^radii is 0, but it must be a number from 2\^-41 to 2\^59\.$/],
    [Number.NaN, {}, /^radii is NaN, /],
    [2 ** 60, {}, /^radii is .*, but it must be a number from 2\^-41 to 2\^59\.$/],
    ['1', {}, /^radii is "1", but it must be a radius, a Float32Array or Float64Array of radii, or /],
    [[1, 2], {}, /^radii is \[1, 2\], /],
    [null, {}, /^radii is null, /],
    [new Uint8Array(3), {}, /^radii is a Uint8Array of length 3, /],
    [new Float32Array(0), {}, /^radii is empty, but it must be at least one radius\.$/],
    [Float32Array.of(1, -1), {}, /^radii\[1\] is -1, /],
    [{ smallest: 1 }, {}, /^radii\.largest is undefined, /],
    [{ smallest: 2, largest: 1 }, {}, /^radii\.smallest is 2, but it must be at most radii\.largest, 1\.$/],
    [{ smallest: 1, largest: 1, middle: 1 }, {}, /^radii\.middle is 1, /],
    [1, { dense: 1 }, /^options\.dense is 1, /],
    [1, { density: 0, dimensions: 2 }, /^density is 0, /],
    [1, { density: '1', dimensions: 2 }, /^density is "1", but it must be a finite number greater than 0\.$/],
    [1, { density: 1 }, /^dimensions is undefined, but it must be 2 or 3 if a density is given\.$/],
    [1, { dimensions: 4 }, /^dimensions is 4, /],
    [1, { engine: 'both' }, /^engine is "both", but it must be 'cpu' or 'gpu'\.$/],
    [1, { unbounded: 1 }, /^unbounded is 1, /],
  ])('rejects %s with %j', (radii, options, message) => {
    const attempt = () => suggestCellSize(radii as RadiiOfParticles, options as CellSizeOptions);
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(message);
  });
});
