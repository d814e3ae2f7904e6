import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { type CpuIndexOptions, createCpuIndex, createCpuLevelGrid } from '../../../../src/cpu';
import { expectContent } from './content';

describe.each([2, 3] as const)('CpuIndex in %dD', (dimensions) => {
  const vector = (value: number, ...first: number[]) =>
    Array.from({ length: dimensions }, (_, axis) => first[axis] ?? value);
  const box = (edge: number, capacity: number, radius?: number): CpuIndexOptions => ({
    dimensions,
    min: vector(0),
    max: vector(edge),
    capacity,
    radius,
  });

  it('rejects bad arguments with an explanation and keeps its state', () => {
    const index = createCpuIndex({ ...box(8, 4), periodic: true });
    const [a, b] = [index.add(vector(1), 0.5), index.add(vector(1.25), 0.25)];
    const last = dimensions - 1;
    const bad = [Number.NaN, Number.POSITIVE_INFINITY, 1e39, '3' as unknown as number];
    for (const value of bad) {
      const position = vector(2).with(last, value);
      const named = `[${last}] is ${typeof value === 'string' ? '"3"' : value}, but it must be a finite number that fits 32-bit floats.`;
      expect(() => index.add(position, 0.5)).toThrow(`position${named}`);
      expect(() => index.move(a, position)).toThrow(`position${named}`);
      expect(() => index.near(position, 1, () => {})).toThrow(`point${named}`);
    }
    for (const position of [
      [],
      vector(1).concat(2),
      null,
      undefined,
      3,
      { ...vector(1), length: dimensions },
    ] as unknown as number[][]) {
      expect(() => index.add(position, 0.5)).toThrow(ArgumentError);
      expect(() => index.move(a, position)).toThrow(`but it must be ${dimensions} finite numbers.`);
    }
    for (const radius of [0, -1, Number.NaN, 4.001, 2 ** -42, '1', null] as unknown as number[]) {
      expect(() => index.add(vector(1), radius)).toThrow(ArgumentError);
      expect(() => index.resize(a, radius)).toThrow(
        'must be a number from 2^-41 to 4, half the shortest period.',
      );
    }
    expect(() => index.add(vector(1))).toThrow('radius is undefined, but it must be a number from');
    expect(() => createCpuIndex({ ...box(8, 1), radius: 2 ** 60 })).toThrow('a number from 2^-41 to 2^59.');
    for (const id of [
      2,
      3,
      4,
      5,
      -1,
      0.5,
      Number.NaN,
      2 ** 32,
      '0',
      0n,
      Symbol('0'),
      Object.create(null),
    ] as unknown as number[]) {
      const named = /^id is .*, but it must be the id of an object in this CpuIndex\.$/;
      expect(() => index.move(id, vector(1))).toThrow(named);
      expect(() => index.remove(id)).toThrow(named);
      expect(() => index.resize(id, 1)).toThrow(named);
      expect(() => index.position(id)).toThrow(named);
      expect(() => index.radius(id)).toThrow(named);
      expect(() => index.overlapping(id, () => {})).toThrow(named);
      expect(() => index.findOverlapping(id)).toThrow(named);
      expect(index.has(id)).toBe(false);
    }
    for (const radius of [0, -1, Number.NaN, 4.001]) {
      expect(() => index.near(vector(1), radius, () => {})).toThrow(ArgumentError);
      expect(() => index.findNear(vector(1), radius)).toThrow(ArgumentError);
    }
    // The messages must equal those of grids with variable radii.
    const [min, max] = [vector(0), vector(8)];
    const grid = createCpuLevelGrid({
      dimensions,
      min,
      max,
      capacity: 1,
      radii: { smallest: 1, largest: 2 },
    });
    const messageOf = (ask: () => unknown): string => {
      try {
        ask();
      } catch (error) {
        expect(error).toBeInstanceOf(ArgumentError);
        return (error as Error).message;
      }
      return 'nothing is refused';
    };
    type Question = 'findNear' | 'nearest' | 'inBox' | 'findInBox' | 'alongRay' | 'findAlongRay';
    type Searched = Record<Question, (...rest: unknown[]) => unknown>;
    const expectSame = (ask: (searched: Searched) => unknown, named: RegExp) => {
      const message = messageOf(() => ask(index as unknown as Searched));
      expect(message).toMatch(named);
      expect(message).toBe(messageOf(() => ask(grid as unknown as Searched)));
    };
    const vectors = [...bad.map((value) => vector(1).with(last, value)), [], vector(1).concat(2), null, 3];
    for (const wrong of vectors) {
      expectSame((searched) => searched.findNear(wrong, 1), /^point/);
      expectSame((searched) => searched.nearest(wrong, 1), /^point/);
      expectSame((searched) => searched.findInBox(wrong, vector(1)), /^min/);
      expectSame((searched) => searched.inBox(vector(1), wrong, () => {}), /^max/);
      expectSame((searched) => searched.findAlongRay(wrong, vector(1), 1), /^origin/);
      expectSame((searched) => searched.alongRay(vector(1), wrong, 1, () => {}), /^direction/);
    }
    for (const radius of [0, -1, Number.NaN, '1', null]) {
      expectSame((searched) => searched.findNear(vector(1), radius), /^radius is /);
      expectSame((searched) => searched.nearest(vector(1), 1, radius), /^radius is /);
    }
    for (const k of [0, 1.5, Number.NaN, undefined]) {
      expectSame((searched) => searched.nearest(vector(1), k), /^k is /);
    }
    for (const reach of [-1, Number.NaN, '1', undefined]) {
      expectSame((searched) => searched.findAlongRay(vector(1), vector(1), reach), /^greatestDistance is /);
    }
    for (const length of [0, 2 ** -101]) {
      expectSame(
        (searched) => searched.findAlongRay(vector(1), vector(0, length), 1),
        / at least 2\^-100 long\.$/,
      );
    }
    expectSame(
      (searched) => searched.findAlongRay(vector(1), vector(1), 1, 0.5),
      /^radius is 0\.5, .* its own radius\.$/,
    );
    expectSame((searched) => searched.alongRay(vector(1), vector(1), 1, () => {}, 0.5), /^radius is 0\.5, /);
    expectContent(
      index,
      new Map([
        [a, { position: vector(1), radius: 0.5 }],
        [b, { position: vector(1.25), radius: 0.25 }],
      ]),
    );
    expect(index.add(vector(3), 1)).toBe(2);
  });

  it('rejects unknown options and bad worlds', () => {
    const create = (options: object) => () => createCpuIndex({ ...box(8, 1), ...options } as CpuIndexOptions);
    expect(create({ diameter: 1 })).toThrow(
      'options.diameter is 1, but it must be left out or renamed to one of dimensions, min,',
    );
    expect(create({ dimensions: 4 })).toThrow(ArgumentError);
    expect(create({ crowds: true })).toThrow(
      'options.crowds is true, but it must be left out or renamed to one of dimensions, min,',
    );
    expect(create({ capacity: -1 })).toThrow(ArgumentError);
    expect(create({ cellSize: 0 })).toThrow('cellSize is 0, but it must be a number from 2^-40 to 2^60.');
    expect(create({ unbounded: 1 })).toThrow(ArgumentError);
    expect(create({ unbounded: true })).toThrow('left out, since the world is unbounded');
    expect(create({ periodic: [true] })).toThrow(ArgumentError);
    expect(create({ min: vector(Number.NaN) })).toThrow(ArgumentError);
    expect(create({ min: vector(8) })).toThrow(
      'world.max[0] is 8, but it must be at least world.min[0] + 2^-40, with a finite distance between them.',
    );
    expect(create({ min: vector(-3e38), max: vector(3e38) })).toThrow('with a finite distance');
  });

  it('rejects a visitor that is not a function, even if the search finds no object', () => {
    const index = createCpuIndex(box(8, 2, 0.5));
    const id = index.add(vector(6));
    for (const visit of [undefined, null, 7] as unknown as (() => void)[]) {
      for (const position of [vector(1), vector(6)]) {
        for (const call of [
          () => index.near(position, 1, visit),
          () => index.inBox(position, position, visit),
          () => index.alongRay(position, vector(-1), 1, visit),
          () => index.overlapping(id, visit),
          () => index.forEachPair(visit),
        ]) {
          expect(call).toThrow(ArgumentError);
          expect(call).toThrow(`visit is ${visit}, but it must be a function.`);
        }
      }
    }
    index.remove(id);
  });
});
