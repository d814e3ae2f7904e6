import { describe, expect, it } from 'vitest';
import { scenesOf } from '../../../src/scenes';
import {
  attractionTable,
  createFlockScene,
  createLifeScene,
  createPositionFluidScene,
} from '../../../src/scenes/method-scene';

const SOME = { width: 1, seed: 1 } as const;

describe('every scene of a method', () => {
  it('can be created by its name; the name of another kind of scene is rejected', () => {
    const request = { dimensions: 2, count: 10, kinds: 2, ...SOME } as const;
    for (const { name } of scenesOf('flock'))
      expect(createFlockScene(name, request).positions.length).toBe(20);
    for (const { name } of scenesOf('pbf'))
      expect(createPositionFluidScene(name, request).positions.length).toBe(20);
    for (const { name } of scenesOf('life')) expect(createLifeScene(name, request).positions.length).toBe(20);
    expect(() => createFlockScene('pile', request)).toThrow(/murmuration/);
  });
});

describe('a scene of a position-based fluid', () => {
  it.each([2, 3] as const)(
    'starts as a column with the spacing of a fluid at rest, beside its obstacles (%iD)',
    (dimensions) => {
      const make = (count: number, change = {}) =>
        createPositionFluidScene('splash', { dimensions, count, ...SOME, ...change });
      for (const count of [2, 7, 400, 4000]) {
        const { positions, min, max, obstacles, reach } = make(count);
        expect(positions.length).toBe(dimensions * count);
        positions.forEach((value, index) => {
          const axis = index % dimensions;
          expect(value).toBeGreaterThan(min[axis] as number);
          expect(value).toBeLessThan(max[axis] as number);
        });
        const right = Math.max(...positions.filter((_, index) => index % dimensions === 0));
        for (const { position } of obstacles) expect(position[0]).toBeGreaterThan(right);
        expect(reach).toBe(1);
      }
      // The nearest neighbours are about half a reach apart.
      const { positions } = make(400);
      const [first, ...rest] = Array.from({ length: 400 }, (_, particle) =>
        positions.subarray(dimensions * particle, dimensions * (particle + 1)),
      ) as [Float32Array, ...Float32Array[]];
      const nearest = Math.min(
        ...rest.map((other) => Math.hypot(...other.map((value, axis) => value - (first[axis] as number)))),
      );
      expect(nearest).toBeGreaterThan(0.4);
      expect(nearest).toBeLessThan(0.57);
      expect(make(400).positions).toEqual(positions);
      expect(make(400, { seed: 2 }).positions).not.toEqual(positions);
      expect(make(400, { width: 2 }).max[0]).toBeCloseTo(2 * (make(400).max[0] as number), -0.5);
    },
  );
});

describe('a scene of particle life', () => {
  it.each([2, 3] as const)('has equally many of each species inside the world (%iD)', (dimensions) => {
    const make = (count: number, change = {}) =>
      createLifeScene('particle-life', { dimensions, count, ...SOME, kinds: 4, ...change });
    for (const count of [2, 7, 400]) {
      const { positions, max, periodic } = make(count);
      expect(periodic).toBe(true);
      positions.forEach((value, index) => {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(max[index % dimensions] as number);
      });
    }
    const { species, positions } = make(400);
    expect([0, 1, 2, 3].map((kind) => species.filter((one) => one === kind).length)).toEqual([
      100, 100, 100, 100,
    ]);
    expect(make(400).positions).toEqual(positions);
    expect(make(400, { seed: 2 }).positions).not.toEqual(positions);
  });
});

describe('a table of attraction', () => {
  it('is random, and the same for the same seed', () => {
    const table = attractionTable('random', 4, 3);
    expect(table).toEqual(attractionTable('random', 4, 3));
    expect(table).not.toEqual(attractionTable('random', 4, 4));
    expect(table.map((row) => row.length)).toEqual([4, 4, 4, 4]);
    for (const value of table.flat()) {
      expect(Math.abs(value)).toBeLessThanOrEqual(1);
      expect(Number.isInteger(16 * value)).toBe(true);
    }
  });

  it('is symmetric if attraction is mutual', () => {
    const table = attractionTable('mutual', 5, 8);
    table.forEach((row, from) => {
      row.forEach((value, to) => {
        expect(value).toBe(table[to]?.[from]);
      });
    });
  });

  it('lets each species follow the next one in a chain and in a chase', () => {
    expect(attractionTable('chain', 3, 1)).toEqual([
      [1, 0.25, 0],
      [0, 1, 0.25],
      [0.25, 0, 1],
    ]);
    expect(attractionTable('chase', 4, 1)).toEqual([
      [0.5, 0.75, 0, -0.75],
      [-0.75, 0.5, 0.75, 0],
      [0, -0.75, 0.5, 0.75],
      [0.75, 0, -0.75, 0.5],
    ]);
  });
});
