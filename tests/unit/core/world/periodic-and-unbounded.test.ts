import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import {
  bucketOfLattice,
  latticeCoordinate,
  minimumImage,
  wrapAxis,
  wrapOnce,
} from '../../../../src/core/world/cells';
import { defineWorld } from '../../../../src/core/world/world';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { measureState } from '../../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { comparePairs } from '../../../../src/reference/query/pair-list';
import { findPairs } from '../../../../src/reference/query/pairs';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { stored, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';

import { expectSeen, fc, runs } from '../../../helpers/properties';

describe.each([2, 3] as const)('in %dD', (dimensions) => {
  describe.each(Object.keys(unusualCrowds))('worlds that are %s', (kind) => {
    const arbitrary = (most: number) =>
      (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, most);

    it('put particles closer than the diameter into adjacent cells', () => {
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
                const apart = minimumImageInDoubles(at(a, axis) - at(b, axis), period);
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
        runs(400),
      );
    });

    it('give the same pairs as brute force', () => {
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
        runs(300),
      );
      expectSeen(pairs, 5000);
    });
  });
});

describe('a periodic axis', () => {
  const world = defineWorld({ dimensions: 2, min: [-2, 0], max: [3.5, 4], periodic: [true, false] }, 1);

  it('wraps its own coordinates, and leaves those along other axes unchanged', () => {
    expect(world.period).toEqual([5.5, 0]);
    expect([-2, 3.25, -2.25, 3.5, 3.75, -7].map((x) => wrapOnce(world, x, 0))).toEqual([
      -2, 3.25, 3.25, -2, -1.75, -1.5,
    ]);
    expect([-13, 14.5, 0.25].map((x) => wrapAxis(world, x, 0))).toEqual([-2, -2, 0.25]);
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
          // wrapOnce leaves a coordinate outside if it is more than a period away. The ends are rounded to floats, as
          // in wrapAxis.
          const given = crowd.positions[index] as number;
          const [low, period] = [world.min[axis] as number, world.period[axis] as number];
          const end = far[axis] as number;
          const isTooFar = given < Math.fround(low - period) || given >= Math.fround(end + period);
          if (period !== 0 && isTooFar) return;
          expect(wrapOnce(world, value, axis)).toBe(value);
          if (period !== 0) expect(value).toBeLessThan(end);
        });
      }),
      runs(300),
    );
  });

  it('has minimum images that change only their sign if the two positions are swapped', () => {
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
      runs(300),
    );
  });

  it('has at least three cells, and the last one also covers the remainder of the length', () => {
    const of = (edge: number) => () =>
      defineWorld({ dimensions: 2, min: [0, 0], max: [edge, 8], periodic: [true, false] }, 1);
    expect(of(3)().cells).toEqual([3, 10]);
    expect(of(3.875)().cells).toEqual([3, 10]);
    expect(latticeCoordinate(of(3.875)(), 3.75, 0)).toBe(2);
    expect(of(2.875)).toThrow(ArgumentError);
    expect(of(2.875)).toThrow(
      'world.max[0] is 2.875, but it must be at least world.min[0] + 3 cells = 3, since the axis is periodic.',
    );
    // Lengths below a diameter must get this message, not that of the check for boxes with walls.
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

  it('spreads cells over its table, and keeps the cells of a block along x together', () => {
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

  it('counts the particles in buckets that several cells share', () => {
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
