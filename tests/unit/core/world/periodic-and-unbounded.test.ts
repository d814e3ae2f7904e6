/** Periodic and unbounded worlds: cells miss no neighbour despite 32-bit rounding, and pairs equal the oracle's. */

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { planSimulation } from '../../../src/core/simulation/plan';
import {
  bucketOfLattice,
  latticeCoordinate,
  minimumImage,
  wrapCoordinate,
  wrapOnce,
} from '../../../src/core/world/cells';
import { defineWorld, type WorldOptions } from '../../../src/core/world/world';
import { buildGrid } from '../../../src/reference/grid/grid';
import { measureState } from '../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { comparePairs } from '../../../src/reference/query/pair-list';
import { findPairs } from '../../../src/reference/query/pairs';
import { nearestImage } from '../../../src/reference/solve/contact';
import { stored, unusualCrowds } from '../../helpers/inputs/unusual-worlds';
import { runs } from '../../helpers/inputs/worlds';
import { fc } from '../../helpers/properties';
import { atGate } from '../../helpers/thorough';

describe.each([2, 3] as const)('in %dD', (dimensions) => {
  describe.each(Object.keys(unusualCrowds))('%s worlds', (kind) => {
    const arbitrary = (most: number) =>
      (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, most);

    it('have particles closer than the diameter in adjacent cells', () => {
      fc.assert(
        fc.property(arbitrary(24), (crowd) => {
          const { world } = crowd;
          const positions = stored(crowd);
          const count = positions.length / dimensions;
          const at = (particle: number, axis: number) => positions[particle * dimensions + axis] as number;
          for (let a = 0; a < count; a++) {
            for (let b = 0; b < a; b++) {
              for (let axis = 0; axis < dimensions; axis++) {
                const period = world.period[axis] as number;
                const apart = nearestImage(at(a, axis) - at(b, axis), period);
                if (!(Math.abs(apart) < world.diameter)) continue;
                const cells = world.cells[axis] as number;
                const away = Math.abs(
                  latticeCoordinate(world, at(a, axis), axis) - latticeCoordinate(world, at(b, axis), axis),
                );
                if (away > 1 && !(period > 0 && away === cells - 1)) {
                  throw new Error(`${at(a, axis)} and ${at(b, axis)} are ${away} cells apart`);
                }
              }
            }
          }
        }),
        runs(atGate(400)),
      );
    });

    it('have the same pairs as by brute force', () => {
      let pairs = 0;
      fc.assert(
        fc.property(arbitrary(60), (crowd) => {
          const { world } = crowd;
          const grid = buildGrid(world, crowd.positions);
          const found = findPairs(world, world.diameter, grid);
          const oracle = bruteForcePairs(dimensions, stored(crowd), world.diameter, undefined, world.period);
          const { missing, extra } = comparePairs(found, oracle);
          pairs += found.count;
          expect([missing.count, extra.count]).toEqual([0, 0]);
          expect(measureState(world, world.diameter, grid).contacts).toBe(found.count);
        }),
        runs(atGate(300)),
      );
      expect(pairs).toBeGreaterThan(atGate(1000));
    });
  });
});

describe('a periodic axis', () => {
  const world = defineWorld({ dimensions: 2, min: [-2, 0], max: [3.5, 4], periodic: [true, false] }, 1);

  it('wraps coordinates, and does not change those of other axes', () => {
    expect(world.period).toEqual([5.5, 0]);
    expect([-2, 3.25, -2.25, 3.5, 3.75, -7].map((x) => wrapOnce(world, x, 0))).toEqual([
      -2, 3.25, 3.25, -2, -1.75, -1.5,
    ]);
    expect([-13, 14.5, 0.25].map((x) => wrapCoordinate(world, x, 0))).toEqual([-2, -2, 0.25]);
    expect(wrapOnce(world, -9, 1)).toBe(-9);
  });

  it('leaves coordinates inside the box unchanged', () => {
    fc.assert(
      fc.property((unusualCrowds.periodic as (typeof unusualCrowds)[string])(2, 20), (crowd) => {
        const { world } = crowd;
        const inside = stored(crowd);
        const far = world.period.map((length, axis) => Math.fround((world.min[axis] as number) + length));
        inside.forEach((value, index) => {
          const axis = index % 2;
          // One ulp more than a period outside is too far.
          const given = crowd.positions[index] as number;
          const [low, period] = [world.min[axis] as number, world.period[axis] as number];
          if (given < low - period || given >= low + 2 * period) return;
          expect(wrapOnce(world, value, axis)).toBe(value);
          if (world.period[axis] !== 0) expect(value).toBeLessThan(far[axis] as number);
        });
      }),
      runs(atGate(300)),
    );
  });

  it('has minimum images, the same from both sides', () => {
    expect(minimumImage(world, 3.25, -1.75, 0)).toBe(-0.5);
    expect(minimumImage(world, -1.75, 3.25, 0)).toBe(0.5);
    expect(minimumImage(world, 3, 0.5, 1)).toBe(2.5);
    fc.assert(
      fc.property(
        fc.float({ min: -2, max: 3.5, noNaN: true }),
        fc.float({ min: -2, max: 3.5, noNaN: true }),
        (a, b) => {
          expect(minimumImage(world, a, b, 0) + minimumImage(world, b, a, 0)).toBe(0);
        },
      ),
      runs(atGate(300)),
    );
  });

  it('has at least three cells, of which the last includes the remainder', () => {
    const of = (edge: number) => () =>
      defineWorld({ dimensions: 2, min: [0, 0], max: [edge, 8], periodic: [true, false] }, 1);
    expect(of(3)().cells).toEqual([3, 10]);
    expect(of(3.875)().cells).toEqual([3, 10]);
    expect(latticeCoordinate(of(3.875)(), 3.75, 0)).toBe(2);
    expect(of(2.875)).toThrow(ArgumentError);
    expect(of(2.875)).toThrow(
      'world.max[0] is 2.875, but it must be at least world.min[0] + 3 cells = 3, since the axis is periodic.',
    );
    // Also for less than a diameter, which another check would also reject.
    expect(of(0.5)).toThrow(/ 3 cells = 3, /);
    expect(of(-8)).toThrow(/ 3 cells = 3, /);
  });
});

describe('an unbounded world', () => {
  it('has cells whose width is a power of two, and a table that grows with the capacity', () => {
    const of = (diameter: number, capacity: number, cellSize?: number) =>
      defineWorld({ dimensions: 2, unbounded: true, cellSize }, diameter, capacity);
    expect([1, 1.01, 0.75, 4, 2 ** -40].map((diameter) => of(diameter, 1).cellSize)).toEqual([
      1,
      2,
      1,
      4,
      2 ** -40,
    ]);
    expect(of(1, 1, 3).cellSize).toBe(4);
    expect([0, 128, 129, 1000, 2 ** 20].map((capacity) => of(1, capacity).cellCount)).toEqual([
      128,
      128,
      256,
      1024,
      2 ** 20,
    ]);
  });

  it('spreads cells over its table, and keeps blocks of a row together', () => {
    const world = defineWorld({ dimensions: 2, unbounded: true }, 1, 4096);
    const fill = new Uint32Array(world.cellCount);
    for (let x = 0; x < 64; x++) {
      for (let y = 0; y < 64; y++) {
        const bucket = bucketOfLattice(world, [x, y * 4096]);
        fill[bucket] = (fill[bucket] as number) + 1;
        if (x % 32 > 0) expect(bucket).toBe(bucketOfLattice(world, [x - 1, y * 4096]) + 1);
      }
    }
    // With 128 random blocks in 128 ranges, seven in one range have a probability of 1%.
    expect(Math.max(...fill)).toBeLessThan(7);
  });

  it('counts particles that share a bucket', () => {
    const world = defineWorld({ dimensions: 2, unbounded: true }, 1, 100);
    const home = bucketOfLattice(world, [0, 0]);
    let row = 2;
    while (bucketOfLattice(world, [0, row]) !== home) row++;
    const positions = Float32Array.of(0.5, 0.5, 0.75, 0.5, 0.5, row + 0.5, 40.5, 0.5);
    const measures = measureState(world, 1, buildGrid(world, positions));
    expect(measures).toMatchObject({
      contacts: 1,
      occupiedCells: 3,
      greatestOccupancy: 2,
      crowded: 0,
      bucketCollisions: 3,
    });
  });
});

describe('the error for a box that is too small', () => {
  it('names an accepted value', () => {
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
          // At most one error per axis.
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
              // The named value is only as large as the rounding of the cell and of the coordinate requires.
              const low = min[axis] as number;
              const wanted = periodic[axis] ? 3 * cellSize : diameter;
              const slack = 1e-3 * diameter + 3 * 2 ** -23 * (Math.abs(low) + wanted);
              expect(Number(named) - low - wanted).toBeLessThan(slack);
            }
          }
        },
      ),
      runs(atGate(3000)),
    );
    expect(refused).toBeGreaterThan(atGate(1000));
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
      /^world\.periodic is \[true\], but it must be true, false, or 2 of them\.$/,
    ],
    [{ ...box, periodic: 'x' as never }, /^world\.periodic is "x", /],
    [{ ...box, unbounded: 1 as never }, /^world\.unbounded is 1, but it must be true or false\.$/],
    [{ dimensions: 2 }, /^world\.min is undefined, but it must be 2 finite numbers\.$/],
  ])('%j', (options, message) => {
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
