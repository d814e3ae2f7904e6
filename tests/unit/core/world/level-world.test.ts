import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { defineLevels } from '../../../../src/core/world/level-world';
import { latticeAt } from '../../../../src/core/world/levels';
import {
  type Dimensions,
  FEWEST_PERIODIC_CELLS,
  MAX_CELLS_PER_AXIS,
  type World,
  type WorldOptions,
} from '../../../../src/core/world/world';

import { fc, runs } from '../../../helpers/properties';

const RADII = { smallest: 0.5, largest: 1.5 };

function highest({ cells, levels }: World): number[] {
  return cells.map((count) => count >> (levels - 1));
}

describe('a periodic world with variable radii', () => {
  const make = (low: number, high: number) => {
    const options: WorldOptions = { dimensions: 2, min: [low, low], max: [high, high], periodic: true };
    return defineLevels(options, RADII, 1000);
  };

  it('is rejected if rounding leaves only two cells on the highest level: their pairs would be visited twice', () => {
    // Rounding makes cells slightly wider, so eleven instead of twelve fit along an axis. On the highest level, cells
    // are four times as wide, so two instead of three fit.
    expect(() => make(1, 13)).toThrow(
      /^world\.max\[0\] is 13, .* 3 cells = 13\.00.*, since the axis is periodic\.$/,
    );
    expect(highest(make(0, 12))).toEqual([3, 3]);
  });

  it('has at least three cells along each axis on every level, and accepts the length that its error suggests', () => {
    const thirds = fc.integer({ min: -300, max: 300 });
    fc.assert(
      fc.property(thirds, fc.double({ min: 11, max: 30, noNaN: true }), (third, length) => {
        const low = third / 3;
        let world: World;
        try {
          world = make(low, low + length);
        } catch (error) {
          if (!(error instanceof ArgumentError)) throw error;
          world = make(low, Number(/cells = (\S+),/.exec(error.message)?.[1]));
        }
        expect(Math.min(...highest(world))).toBeGreaterThanOrEqual(FEWEST_PERIODIC_CELLS);
      }),
      runs(300),
    );
  });

  it('widens its cells if millions would be empty, but keeps at least three along each axis', () => {
    const sparse = (max: readonly number[], periodic = true, capacity = 100) => {
      const min = max.map(() => 0);
      const dimensions = max.length as Dimensions;
      return defineLevels({ dimensions, min, max, periodic }, RADII, capacity);
    };
    const wide = sparse([1e5, 1e5]);
    expect([wide.levels, wide.baseDiameter, wide.cellCount]).toEqual([1, 64, Math.floor(1e5 / 64) ** 2]);
    // Cells that fit the largest particles are 4 wide. They are not widened further if there are at most 2^22 of them,
    // or at most 16 per particle.
    const most = 4 * 2 ** 11;
    expect(sparse([most, most]).baseDiameter).toBe(4);
    expect(sparse([most, most + 4]).baseDiameter).toBe(8);
    expect(sparse([most, most + 4], true, 2 ** 18 + 2 ** 8).baseDiameter).toBe(4);
    // If the box is not periodic, cells never become wider than the largest particle needs.
    expect(sparse([most, most + 4], false).baseDiameter).toBe(4);
    expect(sparse([24, 1e4, 1e4]).cells).toEqual([3, 1250, 1250]);
    expect(sparse([12, 1e4, 1e4]).cells).toEqual([3, 2500, 2500]);
  });

  it('has no cells wider than the largest particle, even if the box has more than two such cells per particle', () => {
    for (const periodic of [true, false]) {
      const radii = { smallest: 0.45, largest: 0.5 };
      const world = defineLevels(
        { dimensions: 3, min: [0, 0, 0], max: [38, 38, 38], periodic },
        radii,
        20_000,
      );
      expect([world.levels, world.baseDiameter]).toEqual([1, 1]);
    }
  });

  it('is rejected if an axis has more cells than 32-bit floats resolve', () => {
    const long = { dimensions: 2, min: [0, 0], max: [2 ** 20, 12], periodic: true, cellSize: 1 } as const;
    expect(() => defineLevels(long, RADII, 1000)).toThrow(
      new RegExp(
        `^the number of the smallest cells in the world is .*, but it must be at most ${MAX_CELLS_PER_AXIS} along an axis`,
      ),
    );
  });
});

describe('a world with variable radii', () => {
  const box = { dimensions: 2, min: [0, 0], max: [9, 9] } as const;

  it.each([
    [
      { smallest: 1, largest: '3' },
      /^radii\.largest is "3", but it must be a number from 2\^-41 to 2\^59\.$/,
    ],
    [{ smallest: '1', largest: 3 }, /^radii\.smallest is "1", /],
    [{ smallest: 1n, largest: 3 }, /^radii\.smallest is the BigInt 1, /],
    [{ smallest: 1, largest: Symbol('s') }, /^radii\.largest is Symbol\(s\), /],
    [undefined, /^radii\.smallest is undefined, /],
    [
      { smallest: 2 ** -42, largest: 3 },
      new RegExp(`^2 · radii\\.smallest is ${2 ** -41}, but it must be a number from 2\\^-40 to 2\\^60\\.$`),
    ],
  ])('rejects the radii %o', (radii, message) => {
    expect(() => defineLevels(box, radii as never, 10)).toThrow(ArgumentError);
    expect(() => defineLevels(box, radii as never, 10)).toThrow(message);
  });

  it('accepts typed arrays as corners, even if box particles are wider than the world is high', () => {
    const room = { dimensions: 2, min: [0, 0], max: [20, 1] } as const;
    const typed = { ...room, min: Float32Array.from(room.min), max: Float32Array.from(room.max) };
    const [plain, same] = [room, typed].map((options) => defineLevels(options as never, RADII, 10, true));
    expect(same).toEqual(plain);
    expect(() => defineLevels({ ...room, min: [1n, 0] as never }, RADII, 10, true)).toThrow(
      /^world\.min\[0\] is the BigInt 1, /,
    );
  });

  it('has just enough cells on the lowest level to cover a bounded box', () => {
    const max = [20.5, 3];
    const { cells, cellSize } = defineLevels({ dimensions: 2, min: [0, 0], max }, RADII, 1000);
    expect(
      cells.map((count) => count - 1).every((count, axis) => count * cellSize < (max[axis] as number)),
    ).toBe(true);
    expect(cells.every((count, axis) => count * cellSize >= (max[axis] as number))).toBe(true);
    expect(Math.max(...cells)).toBeGreaterThan(2);
  });

  it('accepts a height below the width of its box particles, even if rounding lowers it further', () => {
    // `step` is the distance between 32-bit floats near these heights. The floor is rounded up and the ceiling down.
    for (const [low, high, step] of [
      [9, 10, 2 ** -20],
      [100, 101, 2 ** -17],
    ] as const) {
      const room = { min: [0, low + 0.6 * step], max: [20, high + 0.4 * step] };
      const world = defineLevels({ dimensions: 2, ...room }, RADII, 10, true);
      expect([world.min[1], world.max[1]]).toEqual([low + step, high]);
    }
  });

  it('accepts the smallest box particles', () => {
    const edge = 2 ** -40;
    const box = { dimensions: 2, min: [0, 0], max: [edge, edge] } as const;
    expect(defineLevels(box, { smallest: edge / 2, largest: edge / 2 }, 10, true).diameter).toBe(edge);
  });
});

describe('levels of a periodic world that does not begin at 0', () => {
  it('put overlapping particles into adjacent cells where the distance from the low end passes a power of two', () => {
    const low = Math.fround(-1023.9);
    const world = defineLevels(
      { dimensions: 2, min: [low, low], max: [low + 2000, low + 2000], periodic: true },
      { smallest: 1, largest: 3 },
      10,
    );
    const middle = low + 512 / world.inverseCellSize;
    for (let step = 0; step < 3000; step++) {
      const a = Math.fround(middle - step * 5e-8);
      const b = Math.fround(a + 2 - (step % 100) * 1e-7);
      if (!(b - a < 2)) continue;
      const [cell, other] = [a, b].map((value) => latticeAt(world, [value, low], 0, 0)[0] as number) as [
        number,
        number,
      ];
      expect(Math.abs(cell - other)).toBeLessThanOrEqual(1);
    }
  });

  it('are rejected if they have too many cells, or too few', () => {
    const make =
      (length: number, radii = { smallest: 1, largest: 64 }, min = 0.5) =>
      () =>
        defineLevels(
          { dimensions: 2, min: [min, min], max: [min + length, min + length], periodic: true, cellSize: 2 },
          radii,
          10,
        );
    expect(make(2 ** 20 + 2, undefined, 0)).toThrow(
      /^the number of the smallest cells in the world is \[524289, 524289\], but it must be at most 524288 along/,
    );
    expect(make(2 ** 20, undefined, 0)).not.toThrow();
    expect(make(384)).toThrow(ArgumentError);
    expect(make(384, undefined, 0)).not.toThrow();
    // Slightly above the bound that the message names, the world is accepted.
    const enough = Number(/= (\S+),/.exec(messageOf(make(384)))?.[1]);
    expect(enough).toBeGreaterThan(384.5);
    expect(make(enough - 0.5 + 2 ** -12)).not.toThrow();
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
