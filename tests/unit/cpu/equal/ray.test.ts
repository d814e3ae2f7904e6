import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import type { WorldOptions } from '../../../../src/core/world/world';
import { type CpuGrid, createCpuGrid } from '../../../../src/cpu';
import { hitsAlongRay } from '../../../../src/reference/query/rays';
import { createNoise } from '../../../../src/testing/noise';
import { EDGE, expectHits, isRay, makeRays } from '../../../helpers/inputs/rays';
import { optionsOf, stored, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { cornersIn } from '../../../helpers/inputs/vectors';

import { expectSeen, fc, runs } from '../../../helpers/properties';

/** Greatest error, in doubles, of the distance from ray to centre, as a share of the distance from origin to centre. */
const DOUBLES = 2 ** -45;

describe.each([2, 3] as const)('a ray through a grid in %dD', (dimensions) => {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  const worlds: Readonly<Record<string, WorldOptions>> = {
    bounded: box,
    'bounded, with wide cells': { ...box, min: corner(-3.3), cellSize: 1.3 },
    periodic: { ...box, periodic: true },
    'periodic except along y': {
      ...box,
      min: corner(-0.7),
      periodic: corner(0).map((_, axis) => axis !== 1),
    },
    unbounded: { dimensions, unbounded: true },
  };

  // Among many balls a ray walks through cells; among few it tests all of them.
  const cases = Object.keys(worlds).flatMap((name) =>
    [700, 40].flatMap((count) => [0.5, 0.2].map((radius) => [name, count, radius] as const)),
  );
  it.each(cases)(
    'meets the same balls as by brute force in a world that is %s, with %d balls of radius %d',
    { tags: 'case' },
    (name, count, radius) => {
      const options = worlds[name] as WorldOptions;
      const noise = createNoise(dimensions);
      const positions = Float32Array.from({ length: count * dimensions }, () => -1 + 10 * noise());
      positions[dimensions * 30 + 1] = Number.NaN;
      if (!options.periodic) positions[dimensions * 31] = 25;
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: count });
      grid.build(positions);
      const inside = stored({ world: grid.world, positions });
      let met = 0;
      let doubts = 0;
      for (const ray of makeRays(dimensions, positions)) {
        const { origin, direction, greatestDistance } = ray;
        if (!isRay(ray)) {
          expect(() => grid.findAlongRay(origin, direction, greatestDistance)).toThrow(ArgumentError);
          continue;
        }
        const hits = hitsAlongRay(inside, grid.world.period, ray, radius, DOUBLES);
        const got = grid.findAlongRay(origin, direction, greatestDistance, radius);
        doubts += expectHits(got.ids, got.distances, hits, JSON.stringify(ray));
        met += got.ids.length;
        const visited: [number, number][] = [];
        const visit = (id: number, distance: number) => visited.push([id, distance]);
        grid.alongRay(origin, direction, greatestDistance, visit, radius);
        expect(visited).toEqual(Array.from(got.ids, (id, index) => [id, got.distances[index]]));
      }
      expect(met).toBeGreaterThan(count === 700 ? 100 : 20);
      expect(doubts).toBeLessThan(met / 50);
    },
  );

  it.each(Object.keys(unusualCrowds))(
    'meets the same particles as by brute force, at any positions, in a world that is %s',
    (kind) => {
      let met = 0;
      fc.assert(
        fc.property(
          (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, 60),
          fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })),
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
            minLength: dimensions,
            maxLength: dimensions,
          }),
          fc.double({ min: 0, max: 3, noNaN: true }),
          (crowd, [from, to], offset, length) => {
            const { world, positions } = crowd;
            const grid = createCpuGrid({ ...optionsOf(world), diameter: world.diameter, capacity: 60 });
            grid.build(positions);
            const inside = stored(crowd);
            const count = Math.max(1, positions.length / dimensions);
            const positionOf = (particle: number) =>
              offset.map((_, axis) => inside[dimensions * (particle % count) + axis] ?? 0);
            const origin = positionOf(from).map(
              (value, axis) => value + (offset[axis] as number) * world.diameter,
            );
            const way = positionOf(to).map((value, axis) => value - (origin[axis] as number));
            const far = Math.hypot(...way);
            if (!(far > 0) || ![...origin, ...way].every((value) => Math.abs(value) < 1e37)) return;
            const direction = way.map((value) => value / far);
            const ray = { origin, direction, greatestDistance: length * far };
            const got = grid.findAlongRay(origin, direction, ray.greatestDistance);
            const hits = hitsAlongRay(inside, world.period, ray, world.diameter / 2, DOUBLES);
            expectHits(got.ids, got.distances, hits, JSON.stringify(ray));
            met += got.ids.length;
          },
        ),
        runs(400),
      );
      expectSeen(met, 400);
    },
  );

  const line = (grid: CpuGrid) =>
    grid.build(
      Float32Array.from({ length: 8 * dimensions }, (_, word) =>
        word % dimensions === 0 ? word / dimensions + 0.5 : 4,
      ),
    );

  it('wraps at the ends of a periodic world, and reports each ball once', () => {
    const grid = createCpuGrid({ ...box, periodic: true, diameter: 0.5, capacity: 8 });
    line(grid);
    const along = (x: number, sign: number, reach: number) => {
      const { ids, distances } = grid.findAlongRay(corner(4).with(0, x), corner(0).with(0, sign), reach);
      return [[...ids], [...distances]];
    };
    expect(along(6, 1, 3.25)).toEqual([
      [6, 7, 0, 1],
      [0.25, 1.25, 2.25, 3.25],
    ]);
    expect(along(6 + 80, 1, 1)).toEqual([[6], [0.25]]);
    expect(along(1.5, -1, 2.5)).toEqual([
      [1, 0, 7],
      [0, 0.75, 1.75],
    ]);
    for (const reach of [7.75, 8, 100, Number.POSITIVE_INFINITY]) {
      expect(along(1, 1, reach)).toEqual([
        [1, 2, 3, 4, 5, 6, 7, 0],
        [0.25, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25],
      ]);
    }
  });

  it('meets particles that it touches, may be cast from inside a visitor, and must be valid', () => {
    const grid = createCpuGrid({ ...box, diameter: 1, capacity: 8 });
    line(grid);
    const touched = grid.findAlongRay(corner(4).with(1, 4.5), corner(0).with(0, 1), 3.5);
    expect([...touched.ids]).toEqual([4, 5, 6, 7]);
    expect([...grid.findAlongRay(corner(4).with(1, 4.5 + 2 ** -40), corner(0).with(0, 1), 3.5).ids]).toEqual(
      [],
    );
    const visited: number[] = [];
    grid.alongRay(corner(4).with(0, 0), corner(0).with(0, 2), 1, (id, distance) => {
      grid.alongRay(corner(4), corner(0).with(0, -1), 0.25, (other) => visited.push(id, distance, other));
      expect(() => grid.build(new Float32Array(dimensions))).toThrow(CellstormError);
    });
    // Distances are multiples of the direction's length.
    expect(visited).toEqual([0, 1, 2].flatMap((id) => [3, 4].flatMap((other) => [id, id / 2, other])));
    const ask = (...rest: [number, number?]) => grid.findAlongRay(corner(1), corner(1), ...rest);
    expect(() => ask(-1)).toThrow(/^greatestDistance is -1, /);
    expect(() => ask(Number.NaN)).toThrow(/^greatestDistance is NaN, /);
    expect(() => ask(1, 0.6)).toThrow(/^radius is 0\.6, .* at most 0\.5, half the diameter\.$/);
    expect(() => grid.findAlongRay(corner(1), corner(0), 1)).toThrow(
      /^direction is \[0, 0.* at least 2\^-100 long\.$/,
    );
    expect(() => grid.findAlongRay([1], corner(1), 1)).toThrow(/^origin is \[1\], /);
  });
});
