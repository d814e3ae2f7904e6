/** What is in a box, on the CPU: brute force's, ids ascending, in every kind of world, whatever the box. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../src/core/errors';
import type { World } from '../../src/core/world';
import { type CpuGrid, createCpuGrid } from '../../src/cpu';
import { particlesInBox } from '../../src/reference/boxes';
import { optionsOf, stored, type UnusualCrowd, unusualCrowds } from '../helpers/unusual-worlds';
import { type Crowd, crowds, runs } from '../helpers/worlds';

type Dimensions = 2 | 3;

const KINDS = ['bounded', ...Object.keys(unusualCrowds)];

function crowdsOf(kind: string, dimensions: Dimensions): fc.Arbitrary<UnusualCrowd & Partial<Crowd>> {
  const unusual = unusualCrowds[kind];
  return unusual ? unusual(dimensions, 60) : crowds(dimensions, 60);
}

function gridOf({ world, positions, options }: UnusualCrowd & Partial<Crowd>): CpuGrid {
  const { diameter } = world;
  const grid = createCpuGrid({ ...(options ?? optionsOf(world)), diameter, capacity: 60 });
  expect(grid.world).toEqual(world);
  grid.build(positions);
  return grid;
}

/** Two particles' coordinates, moved by little, by periods, or by a lot, in any order. */
interface Corners {
  readonly particles: readonly [number, number];
  readonly moves: readonly (readonly [number, number])[];
}

const arbitraryCorners = (dimensions: Dimensions): fc.Arbitrary<Corners> => {
  const move = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: -4, max: 4, noNaN: true }),
  );
  return fc.record({
    particles: fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })),
    moves: fc.array(fc.tuple(move, move), { minLength: dimensions, maxLength: dimensions }),
  });
};

function cornersOf(world: World, inside: Float32Array, { particles, moves }: Corners): [number[], number[]] {
  const { dimensions, period, diameter } = world;
  const count = Math.max(1, inside.length / dimensions);
  const corner = (which: 0 | 1) =>
    moves.map((move, axis) => {
      const base = inside[dimensions * (particles[which] % count) + axis] ?? 0;
      return Math.max(-3e38, Math.min(3e38, base + move[which] * (period[axis] || 2 * diameter)));
    });
  const [a, b] = [corner(0), corner(1)];
  // Mostly in order along each axis.
  const ordered = moves.map((move, axis) => move[0] === 3 || (a[axis] as number) <= (b[axis] as number));
  return [
    a.map((value, axis) => (ordered[axis] ? value : (b[axis] as number))),
    b.map((value, axis) => (ordered[axis] ? value : (a[axis] as number))),
  ];
}

describe.each([2, 3] as const)('a box in %dD', (dimensions) => {
  it.each(KINDS)('holds what brute force says in a %s world', (kind) => {
    let most = 0;
    let found = 0;
    fc.assert(
      fc.property(
        crowdsOf(kind, dimensions),
        fc.array(arbitraryCorners(dimensions), { minLength: 1, maxLength: 8 }),
        (crowd, list) => {
          const { world } = crowd;
          const grid = gridOf(crowd);
          const inside = stored(crowd);
          for (const corners of list) {
            const [min, max] = cornersOf(world, inside, corners);
            const got = [...grid.findInBox(min, max)];
            const visited: number[] = [];
            grid.inBox(min, max, (id) => visited.push(id));
            expect(visited).toEqual(got);
            expect(got).toEqual([...got].sort((a, b) => a - b));
            expect(new Set(got).size).toBe(got.length);
            // Corners outside a world that wraps around may be rounded when they are brought in.
            const noise = world.period.map((period, axis) =>
              period === 0
                ? 0
                : 1e-14 * (Math.abs(min[axis] as number) + Math.abs(max[axis] as number) + period),
            );
            const by = (sign: number) => [
              min.map((value, axis) => value - sign * (noise[axis] as number)),
              max.map((value, axis) => value + sign * (noise[axis] as number)),
            ];
            const [lower, upper] = by(1) as [number[], number[]];
            const [low, high] = by(-1) as [number[], number[]];
            const outer = new Set(particlesInBox(inside, world.period, lower, upper));
            const inner = particlesInBox(inside, world.period, low, high);
            const isEmpty = min.some((value, axis) => value > (max[axis] as number));
            if (isEmpty) expect(got).toEqual([]);
            else expect(got).toEqual(expect.arrayContaining(inner));
            for (const id of got) expect(outer.has(id)).toBe(true);
            most = Math.max(most, got.length);
            found += got.length;
          }
        },
      ),
      runs(400),
    );
    expect(most).toBeGreaterThan(20);
    expect(found).toBeGreaterThan(1000);
  });

  it('goes around the ends of a periodic world, bounds included', () => {
    const corner = (value: number) => new Array<number>(dimensions).fill(value);
    const grid = createCpuGrid({
      dimensions,
      min: corner(0),
      max: corner(8),
      periodic: true,
      diameter: 1,
      capacity: 9,
    });
    // Along x: 0, 1 … 7, all in the middle of the other axes.
    const line = Float32Array.from({ length: 8 * dimensions }, (_, word) =>
      word % dimensions === 0 ? word / dimensions : 4,
    );
    grid.build(line);
    const between = (low: number, high: number) => [
      ...grid.findInBox(corner(0).with(0, low), corner(8).with(0, high)),
    ];
    expect(between(2, 4)).toEqual([2, 3, 4]);
    expect(between(6, 8)).toEqual([0, 6, 7]);
    expect(between(6, 9.5)).toEqual([0, 1, 6, 7]);
    expect(between(-1, 1)).toEqual([0, 1, 7]);
    expect(between(-10, -8)).toEqual([0, 6, 7]);
    expect(between(2.5, 10.25)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(2.5, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(2.5, 9.75)).toEqual([0, 1, 3, 4, 5, 6, 7]);
    expect(between(17, 18)).toEqual([1, 2]);
    expect(between(-1e30, 1e30)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(4, 3)).toEqual([]);
  });

  it('can be asked for inside of a visit, and refuses what is no corner', () => {
    const corner = (value: number) => new Array<number>(dimensions).fill(value);
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity: 4 });
    grid.build(Float32Array.from([...corner(0), ...corner(0.5), ...corner(1e30)]));
    const found: number[] = [];
    grid.inBox(corner(-1), corner(1), (id) => {
      grid.inBox(corner(0.25), corner(1), (other) => found.push(id, other));
      expect(() => grid.build(new Float32Array(dimensions))).toThrow(CellstormError);
    });
    expect(found).toEqual([0, 1, 1, 1]);
    expect([...grid.findInBox(corner(-3e38), corner(3e38))]).toEqual([0, 1, 2]);
    expect(() => grid.findInBox(corner(Number.NaN), corner(1))).toThrow(ArgumentError);
    expect(() => grid.findInBox(corner(0), [1])).toThrow(/^max is \[1\], /);
  });
});
