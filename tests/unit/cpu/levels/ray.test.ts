import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import type { WorldOptions } from '../../../../src/core/world/world';
import { createCpuLevelGrid } from '../../../../src/cpu';
import { createNoise } from '../../../../src/testing/noise';
import { ballsAlongRay, repeatBalls, storedBalls } from '../../../helpers/inputs/balls';
import { EDGE, expectHits, isRay, makeRays } from '../../../helpers/inputs/rays';
import { variableCrowds, WORLD_CASES } from '../../../helpers/inputs/variable-crowds';
import { cornersIn } from '../../../helpers/inputs/vectors';

import { expectSeen, fc, runs } from '../../../helpers/properties';

describe.each([2, 3] as const)('a ray among balls of variable radii in %dD', (dimensions) => {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  const radii = { smallest: 1 / 64, largest: 1 };
  const coordinate = (noise: () => number) => -1 + 10 * noise();
  const worlds: Readonly<
    Record<string, { options: WorldOptions; coordinate: (noise: () => number, id: number) => number }>
  > = {
    bounded: { options: box, coordinate },
    periodic: { options: { ...box, periodic: true }, coordinate },
    'periodic except along y': {
      options: { ...box, min: corner(-0.7), periodic: corner(0).map((_, axis) => axis !== 1) },
      coordinate,
    },
    unbounded: { options: { dimensions, unbounded: true }, coordinate },
    'unbounded, with clusters far apart': {
      options: { dimensions, unbounded: true },
      coordinate: (noise, id) => (id % 4 === 0 ? 2 ** 19 * ((id % 3) - 1) : 0) + EDGE * noise(),
    },
  };

  // Among many balls a ray walks through cells; among few it tests all of them.
  for (const count of [900, 40]) {
    it.each(Object.keys(worlds))(
      `meets the same balls as by brute force in a world that is %s, among ${count} balls`,
      { tags: count > 40 ? 'case' : [] },
      (name) => {
        const { options, coordinate } = worlds[name] as (typeof worlds)[string];
        const noise = createNoise(dimensions + count);
        const positions = Float32Array.from({ length: count * dimensions }, (_, word) =>
          coordinate(noise, Math.floor(word / dimensions)),
        );
        // Radii have sixteen values per factor of two. Some balls are points, and one is too large for the grid.
        const radiusOf = Float32Array.from({ length: count }, (_, id) =>
          id % 20 === 7 ? 0 : 2 ** (-Math.floor(97 * noise()) / 16),
        );
        positions[dimensions * 30 + 1] = Number.NaN;
        radiusOf[31] = 1.01;
        const grid = createCpuLevelGrid({ ...options, radii, capacity: count });
        grid.build(positions, radiusOf);
        expect(grid.nonFinite).toBe(2);
        const balls = { world: grid.world, positions, radiusOf };
        const inside = storedBalls(balls);
        let met = 0;
        let doubts = 0;
        for (const ray of makeRays(dimensions, positions)) {
          const { origin, direction, greatestDistance } = ray;
          if (!isRay(ray)) {
            expect(() => grid.findAlongRay(origin, direction, greatestDistance)).toThrow(ArgumentError);
            continue;
          }
          const hits = ballsAlongRay(balls, inside, ray);
          const got = grid.findAlongRay(origin, direction, greatestDistance);
          doubts += expectHits(got.ids, got.distances, hits, JSON.stringify(ray));
          met += got.ids.length;
          const visited: [number, number][] = [];
          grid.alongRay(origin, direction, greatestDistance, (id, distance) => visited.push([id, distance]));
          expect(visited).toEqual(Array.from(got.ids, (id, index) => [id, got.distances[index]]));
        }
        expect(met).toBeGreaterThan((dimensions === 2 ? 1 : 0.1) * (count === 900 ? 1000 : 50));
        expect(doubts).toBeLessThan(2 + met / 50);
      },
    );
  }

  it.each(WORLD_CASES)(
    'meets the same balls as by brute force, at any positions, in a world that is %s',
    (kind) => {
      let met = 0;
      const most = 30;
      const times = 16;
      const particle = fc.integer({ min: 0, max: most - 1 });
      const query = fc.record({
        from: particle,
        to: particle,
        offset: fc.array(fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true })), {
          minLength: dimensions,
          maxLength: dimensions,
        }),
        // Multiplies `offset`, in units of the largest radius.
        beside: fc.constantFrom(0, 1, 1e-3, 8),
        share: fc.double({ min: 0, max: 3, noNaN: true }),
        straight: fc.boolean(),
      });
      fc.assert(
        fc.property(
          variableCrowds(kind, dimensions, most),
          fc.array(query, { minLength: 1, maxLength: 4 }),
          (crowd, list) => {
            const { options, radii, positions, radiusOf } = repeatBalls(crowd, times);
            const grid = createCpuLevelGrid({ ...options, radii, capacity: times * most });
            grid.build(positions, radiusOf);
            const { world } = grid;
            const balls = { world, positions: crowd.positions, radiusOf: crowd.radiusOf };
            const inside = storedBalls(balls);
            const count = crowd.radiusOf.length;
            const positionOf = (id: number) =>
              corner(0).map((_, axis) => inside[dimensions * (id % Math.max(1, count)) + axis] || 0);
            for (const { from, to, offset, beside, share, straight } of list) {
              const origin = positionOf(from).map((value, axis) =>
                Math.fround(value + (offset[axis] as number) * beside * radii.largest),
              );
              const way = positionOf(to).map((value, axis) =>
                straight && axis !== to % dimensions ? 0 : value - (origin[axis] as number),
              );
              const far = Math.hypot(...way);
              if (!(far > 0) || ![...origin, ...way].every((value) => Math.abs(value) < 1e37)) continue;
              const direction = way.map((value) => value / far);
              const ray = { origin, direction, greatestDistance: share * far };
              const got = grid.findAlongRay(origin, direction, ray.greatestDistance);
              const firstCopies = [...got.ids.keys()].filter((index) => (got.ids[index] as number) < count);
              expectHits(
                firstCopies.map((index) => got.ids[index] as number),
                firstCopies.map((index) => got.distances[index] as number),
                ballsAlongRay(balls, inside, ray),
                JSON.stringify({ ray, radii }),
              );
              expect(got.ids.length).toBe(times * firstCopies.length);
              expect(new Set(got.ids).size).toBe(got.ids.length);
              met += firstCopies.length;
            }
          },
        ),
        runs(150),
      );
      expectSeen(met, 200);
    },
  );

  /** Returns a grid with the given balls and many small ones elsewhere, so that rays walk through cells. */
  const among = (
    options: WorldOptions,
    centres: readonly (readonly number[])[],
    sizes: readonly number[],
  ) => {
    const noise = createNoise(9);
    const count = 1500;
    const positions = Float32Array.from({ length: dimensions * count }, (_, word) =>
      word % dimensions === 1 ? 7.5 + noise() / 4 : EDGE * noise(),
    );
    const radiusOf = new Float32Array(count).fill(radii.smallest);
    centres.forEach((centre, id) => {
      positions.set(centre, dimensions * id);
    });
    radiusOf.set(sizes);
    const grid = createCpuLevelGrid({ ...options, radii, capacity: count });
    grid.build(positions, radiusOf);
    return grid;
  };

  it.each(['bounded', 'periodic', 'unbounded'])(
    'meets a ball at its edge, far from the cell of its centre, in a world that is %s',
    (name) => {
      const { options } = worlds[name] as (typeof worlds)[string];
      const grid = among(options, [corner(4.5).with(0, 4)], [1]);
      const direction = corner(0).with(1, 1);
      const from = (x: number) => corner(4.5).with(0, x).with(1, 2);
      for (const [x, distance] of [
        [3, 2.5],
        [5, 2.5],
        [4, 1.5],
      ] as const) {
        const { ids, distances } = grid.findAlongRay(from(x), direction, 4);
        expect([[...ids], [...distances]]).toEqual([[0], [distance]]);
      }
      for (const x of [3 - 2 ** -40, 5 + 2 ** -40]) {
        expect(grid.findAlongRay(from(x), direction, 4).ids.length).toBe(0);
      }
      expect(grid.findAlongRay(from(4), direction, 1.5).ids.length).toBe(1);
      expect(grid.findAlongRay(from(4), direction, 1.5 - 2 ** -40).ids.length).toBe(0);
    },
  );

  it('meets balls so far out that they are in the last cells', () => {
    const far = 2 ** 100;
    const centres = [1, -1].map((sign) => corner(2).with(1, sign * far));
    const grid = among({ dimensions, unbounded: true }, centres, [0.5, 1]);
    for (const [id, sign] of [1, -1].entries()) {
      // The ray moves along all axes, but along axis 1 so little that its rounded coordinate stays the same.
      const origin = corner(2)
        .with(0, 2.5)
        .with(1, sign * far);
      const { ids, distances } = grid.findAlongRay(origin, corner(-1), 4);
      expect([[...ids], [...distances]]).toEqual([[id], [0]]);
    }
  });

  it('meets a ball of radius 0 only if it passes through the centre of that ball', () => {
    const grid = among(box, [corner(2.5), corner(2.75), corner(1).with(0, 3)], [0, 0, 0.25]);
    const slanting = grid.findAlongRay(corner(0.5), corner(1), 5);
    expect([[...slanting.ids], [...slanting.distances]]).toEqual([
      [0, 1],
      [2, 2.25],
    ]);
    expect([...grid.findAlongRay(corner(0.5).with(0, 0.5 + 2 ** -30), corner(1), 5).ids]).toEqual([]);
    expect([...grid.findAlongRay(corner(2.5), corner(0).with(0, -1), 1).ids]).toEqual([0]);
    expect([...grid.findAlongRay(corner(1).with(0, 0), corner(0).with(0, 1), 5).distances]).toEqual([2.75]);
  });

  it('wraps at the ends of a periodic world, and reports each ball once', () => {
    const line = [0, 1, 2, 3].map((id) => corner(4).with(0, 2 * id + 0.5));
    const grid = among({ ...box, periodic: true }, line, [0.25, 0, 0.5, 1]);
    const along = (x: number, sign: number, reach: number) => {
      const { ids, distances } = grid.findAlongRay(corner(4).with(0, x), corner(0).with(0, sign), reach);
      return [[...ids], [...distances]];
    };
    expect(along(5.25, 1, 3)).toEqual([
      [3, 0],
      [0.25, 3],
    ]);
    expect(along(5.25 - 80, 1, 2)).toEqual([[3], [0.25]]);
    expect(along(1.5, -1, 3)).toEqual([
      [0, 3],
      [0.75, 2],
    ]);
    for (const reach of [8.5, 9, 100, Number.POSITIVE_INFINITY]) {
      expect(along(3, 1, reach)).toEqual([
        [2, 3, 0, 1],
        [1, 2.5, 5.25, 7.5],
      ]);
    }
  });

  it('may be followed inside a visitor, but not before the first build; wrong rays are refused', () => {
    const grid = createCpuLevelGrid({ ...box, radii, capacity: 8 });
    const ask = (...rest: unknown[]) =>
      (grid.findAlongRay as (...given: unknown[]) => unknown).apply(grid, rest);
    expect(() => ask(corner(1), corner(1), Number.POSITIVE_INFINITY)).toThrow(CellstormError);
    grid.build(
      Float32Array.from({ length: 8 * dimensions }, (_, word) =>
        word % dimensions === 0 ? word / dimensions : 4,
      ),
      new Float32Array(8).fill(0.25),
    );
    const visited: number[] = [];
    grid.alongRay(corner(4).with(0, 0), corner(0).with(0, 2), 1, (id, distance) => {
      grid.alongRay(corner(4), corner(0).with(0, -1), 1, (other) => visited.push(id, distance, other));
      expect(() => grid.build(new Float32Array(dimensions), Float32Array.of(1))).toThrow(CellstormError);
      expect(() => grid.forEachPair(() => {})).toThrow(
        /^This CpuLevelGrid is running forEachPair, near, inBox or alongRay\. .* nearest, inBox and alongRay\.$/,
      );
    });
    expect(visited).toEqual(
      [
        [0, 0],
        [1, 0.375],
        [2, 0.875],
      ].flatMap(([id, distance]) => [4, 3].flatMap((other) => [id, distance, other])),
    );
    const refused = /^radius is 0\.1, but it must be left out, because each ball has its own radius\.$/;
    expect(() => ask(corner(1), corner(1), 1, 0.1)).toThrow(refused);
    expect(() =>
      (grid.alongRay as (...given: unknown[]) => void)(corner(1), corner(1), 1, () => {}, 0.1),
    ).toThrow();
    expect(() => ask(corner(1), corner(1), -1)).toThrow(/^greatestDistance is -1, /);
    expect(() => ask(corner(1), corner(1))).toThrow(/^greatestDistance is undefined, /);
    expect(() => ask(corner(1), corner(0), 1)).toThrow(/^direction is \[0, 0.* at least 2\^-100 long\.$/);
    expect(() => ask([1], corner(1), 1)).toThrow(/^origin is \[1\], /);
    expect(() => ask(corner(Number.NaN), corner(1), 1)).toThrow(ArgumentError);
  });
});
