import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { cellCoordinate } from '../../../../src/core/world/cells';
import {
  defineWorld,
  MAX_CELLS_PER_AXIS,
  type World,
  type WorldOptions,
} from '../../../../src/core/world/world';
import { expectSeen, fc, runs } from '../../../helpers/properties';

function neighbourFloat(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * 2 ** -149;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  view.setUint32(0, view.getUint32(0) + (value > 0 ? direction : -direction));
  return view.getFloat32(0);
}

describe('defineWorld', () => {
  it('keeps the exact inverse of a cell size that is a power of two, in a world that begins at 0', () => {
    for (const cellSize of [0.25, 1, 2, 64]) {
      const world = defineWorld({ dimensions: 2, min: [0, 0], max: [1000, 137], cellSize }, cellSize);
      expect(world.inverseCellSize).toBe(1 / cellSize);
      expect(world.cells).toEqual([Math.ceil(1000 / cellSize) + 2, Math.ceil(137 / cellSize) + 2]);
    }
  });

  it('keeps an inverse of 1 with a negative origin if the diameter leaves room for rounding', () => {
    const world = defineWorld({ dimensions: 2, min: [-64, -64], max: [64, 64], cellSize: 1 }, 0.875);
    expect(world.inverseCellSize).toBe(1);
    expect(world.cells).toEqual([130, 130]);
  });

  it('widens cells, by at most the rounding error, if rounding could put neighbours two cells apart', () => {
    const world = defineWorld({ dimensions: 3, min: [-1, 0, 0], max: [99, 10, 10] }, 0.1);
    expect(world.cellSize).toBeGreaterThan(Math.fround(0.1));
    expect(world.cellSize).toBeLessThan(0.1 * (1 + 8 * 2 ** -24 * 1002));
    expect(world.cellSize).toBe(1 / world.inverseCellSize);
    expect(Math.fround(world.inverseCellSize)).toBe(world.inverseCellSize);
  });

  it('covers the box with cells, and adds an empty cell at each end', () => {
    const world = defineWorld({ dimensions: 3, min: [0, 0, 0], max: [3, 4.5, 5], cellSize: 1 }, 1);
    expect(world.cells).toEqual([5, 7, 7]);
    expect(world.cellCount).toBe(245);
    expect(Object.isFrozen(world)).toBe(true);
  });

  /** Returns how many cells apart two particles about `position` can be if they are nearer than a diameter. */
  function widestGap(world: World, position: number): number {
    const { diameter, inverseCellSize } = world;
    const [low, cells] = [world.min[0] as number, world.cells[0] as number];
    // Start a few floats below a border of cells, where rounding decides the cell.
    let a = Math.fround(low + Math.round((position - low) * inverseCellSize) / inverseCellSize);
    for (let back = 0; back < 8; back++) a = neighbourFloat(a, -1);
    let widest = 0;
    for (let ahead = 0; ahead < 16; ahead++) {
      a = neighbourFloat(a, 1);
      let b = Math.fround(a + diameter);
      while (b - a >= diameter) b = neighbourFloat(b, -1);
      const cellA = cellCoordinate(a, low, inverseCellSize, cells);
      const cellB = cellCoordinate(b, low, inverseCellSize, cells);
      widest = Math.max(widest, Math.abs(cellB - cellA));
    }
    return widest;
  }

  it('puts particles closer than the diameter at most one cell apart, in any world', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 2, max: 2e5, noNaN: true }),
        fc.constantFrom(1, 1, 1, 1.0000001, 1.3),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 20 }),
        (size, offset, extent, stretch, positions) => {
          const diameter = Math.fround(size);
          const low = Math.fround(offset * size);
          const high = Math.fround(low + extent * size);
          if (!(high - low >= diameter) || (low !== 0 && Math.abs(low) < 2 ** -100)) return;
          const world = defineWorld(
            { dimensions: 2, min: [low, 0], max: [high, diameter * 4], cellSize: diameter * stretch },
            diameter,
          );
          for (const position of positions) {
            expect(widestGap(world, low + position * (high - low))).toBeLessThanOrEqual(1);
          }
        },
      ),
      runs(500),
    );
  });

  it('puts neighbours on both sides of a power of two, which are rounded differently, at most one cell apart', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.integer({ min: -3, max: 9 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: -3, max: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (size, binade, before, nudge, share) => {
          const diameter = Math.fround(size);
          const power = 2 ** (binade + Math.round(Math.log2(diameter)));
          // This origin puts a cell border on the power of two, or a few floats beside it.
          let low = Math.fround(power - before / Math.fround(1 / diameter));
          for (let step = 0; step < Math.abs(nudge); step++) low = neighbourFloat(low, nudge < 0 ? -1 : 1);
          const world = defineWorld(
            { dimensions: 2, min: [low, 0], max: [low + (before + 50) * diameter, diameter * 4] },
            diameter,
          );
          for (const position of [power, power - diameter, power - share * diameter]) {
            expect(widestGap(world, position)).toBeLessThanOrEqual(1);
          }
        },
      ),
      runs(1000),
    );
  });

  const valid: WorldOptions = { dimensions: 2, min: [0, 0], max: [10, 10], cellSize: 1 };
  it.each<[string, Partial<Record<keyof WorldOptions, unknown>>, number, RegExp]>([
    ['four dimensions', { dimensions: 4 }, 1, /^dimensions is 4, but it must be 2 or 3\.$/],
    ['a corner of the wrong length', { min: [0] }, 1, /^world\.min is \[0\], .* 2 finite numbers\.$/],
    ['a corner that is missing', { max: undefined }, 1, /^world\.max is undefined, .* 2 finite numbers\.$/],
    ['a NaN in a corner', { max: [10, Number.NaN] }, 1, /^world\.max\[1\] is NaN, .* finite number/],
    ['a corner past 32-bit floats', { max: [1e39, 10] }, 1, /^world\.max\[0\] is 1e\+39, .* fits 32-bit/],
    [
      'an origin near which flushed subnormals change cells',
      { min: [1e-35, 0] },
      1,
      /^world\.min\[0\] .*2\^-100/,
    ],
    ['corners in the wrong order', { min: [20, 0] }, 1, /^world\.max\[0\] is 10, .*= 21/],
    ['a box narrower than a particle', { max: [0.5, 10] }, 1, /^world\.max\[0\] is 0\.5, .*= 1/],
    [
      'a cell smaller than the diameter',
      { cellSize: 0.99 },
      1,
      /^world\.cellSize is 0\.99, .* diameter, 1, and at most 2\^61\.$/,
    ],
    ['a cell that is no number', { cellSize: Number.NaN }, 1, /^world\.cellSize is NaN, /],
    ['a diameter of 0', {}, 0, /^diameter is 0, .* from 2\^-40 to 2\^60\.$/],
    ['a negative diameter', {}, -1, /^diameter is -1, /],
    [
      'too many cells along an axis',
      { max: [600_000, 10] },
      1,
      /^the number of cells in the world is \[600002, 12\], .* 524288 along/,
    ],
    [
      'too many cells in all',
      { max: [500_000, 5_000] },
      1,
      /^the number of cells in the world is .* 2147483644 in all/,
    ],
    ['cells far smaller than floats resolve', { cellSize: 1e-7 }, 1e-7, /^the number of cells /],
    ['a diameter whose square underflows', { cellSize: 1e-20 }, 1e-20, /^diameter is 1e-20, .*2\^-40/],
    ['a diameter whose square overflows', { max: [1e21, 1e21] }, 1e20, /^diameter is .*2\^60/],
    ['cells whose inverse a device may flush to 0', { cellSize: 1e38 }, 1, /^world\.cellSize is 1e\+38, /],
  ])('rejects %s', (_, change, diameter, message) => {
    const options = { ...valid, ...change } as WorldOptions;
    expect(() => defineWorld(options, diameter)).toThrow(ArgumentError);
    expect(() => defineWorld(options, diameter)).toThrow(message);
  });

  it('accepts the longest documented axis', () => {
    const world = defineWorld(
      { dimensions: 2, min: [0, 0], max: [MAX_CELLS_PER_AXIS - 2, 1], cellSize: 1 },
      1,
    );
    expect(world.cells).toEqual([MAX_CELLS_PER_AXIS, 3]);
  });
});

describe('the error for a box that is too small', () => {
  it('names a length that defineWorld accepts', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.tuple(
          ...[1, 2, 3].map(() =>
            fc.tuple(
              fc.boolean(),
              fc.constantFrom(0, 1, 3, 1e3, 1e6, 1e9),
              fc.double({ min: -1, max: 1, noNaN: true }),
              fc.oneof(fc.double({ min: 0, max: 3.1, noNaN: true }), fc.constantFrom(1, 3, 1000)),
            ),
          ),
        ),
        fc.constantFrom(1, 1, 1.3),
        (diameter, axes, stretch) => {
          const periodic = axes.map(([wraps]) => wraps);
          const min = axes.map(([, scale, offset]) => Math.fround(scale * offset * diameter));
          if (min.some((low) => low !== 0 && Math.abs(low) < 2 ** -100)) return;
          const max = axes.map(([, , , length], axis) => (min[axis] as number) + length * diameter);
          const cellSize = Math.fround(diameter) * stretch;
          // Each axis may cause at most one error.
          const seen = new Set<number>();
          for (;;) {
            try {
              defineWorld({ dimensions: 3, min, max, periodic, cellSize }, diameter);
              return;
            } catch (error) {
              const [, digit, named] =
                /^world\.max\[(\d)\].* = ([-+.e\d]+), /.exec((error as Error).message) ?? [];
              const axis = Number(digit);
              expect(named, String(error)).toBeDefined();
              expect(seen, String(error)).not.toContain(axis);
              seen.add(axis);
              refused++;
              max[axis] = Number(named);
              // The named value is no larger than the rounding of the cell and of the coordinate requires.
              const low = min[axis] as number;
              const wanted = periodic[axis] ? 3 * cellSize : diameter;
              const slack = 1e-3 * diameter + 3 * 2 ** -23 * (Math.abs(low) + wanted);
              expect(Number(named) - low - wanted).toBeLessThan(slack);
            }
          }
        },
      ),
      runs(3000),
    );
    expectSeen(refused, 3000);
  });
});

describe('invalid world options', () => {
  const box: WorldOptions = { dimensions: 2, min: [0, 0], max: [8, 8] };
  it.each<[WorldOptions, RegExp]>([
    [
      { ...box, unbounded: true },
      /^world\.min is \[0, 0\], but it must be left out, since the world is unbounded\.$/,
    ],
    [{ dimensions: 2, unbounded: true, periodic: true }, /^world\.periodic is true, .*left out/],
    [
      { ...box, periodic: [true] },
      /^world\.periodic is \[true\], but it must be true, false, or a list of 2 of these\.$/,
    ],
    [{ ...box, periodic: 'x' as never }, /^world\.periodic is "x", /],
    [{ ...box, periodic: new Array(2) }, /^world\.periodic is \[undefined, undefined\], /],
    [{ ...box, unbounded: 1 as never }, /^world\.unbounded is 1, but it must be true or false\.$/],
    [{ dimensions: 2 }, /^world\.min is undefined, but it must be 2 finite numbers\.$/],
  ])('are rejected: %j', (options, message) => {
    expect(() => defineWorld(options, 1)).toThrow(ArgumentError);
    expect(() => defineWorld(options, 1)).toThrow(message);
  });

  it('are also rejected by the simulation', () => {
    const positions = new Float32Array([1, 1]);
    expect(() =>
      planSimulation({ dimensions: 2, radius: 0.5, positions, unbounded: true, max: [1, 1] }),
    ).toThrow(/^world\.max is \[1, 1\], but it must be left out/);
    const plan = planSimulation({ dimensions: 2, radius: 0.5, positions, unbounded: true });
    expect(plan.world.kind).toBe('unbounded');
  });
});
