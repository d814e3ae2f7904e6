/**
 * Compares the search for the nearest particles with brute force. Distances must be equal at dyadic positions; at
 * others they may differ by rounding.
 */

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import type { Dimensions, WorldOptions } from '../../../../src/core/world/world';
import { createCpuGrid, createCpuIndex, type Nearest } from '../../../../src/cpu';
import { findNearest } from '../../../../src/reference/query/near';
import { loadVector, minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { ASKED_DIAMETER, askedCrowd, askedWorlds } from '../../../helpers/inputs/queries';
import { optionsOf, stored, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { type Crowd, crowds } from '../../../helpers/inputs/worlds';
import { fc, runs } from '../../../helpers/properties';

const PARTICLES = 300;
const POINTS = 60;
const WHOLE = 2 ** 60;

type SearchNearest = (point: number[], k: number, radius?: number) => Nearest;

/**
 * Returns the search of an index. Its objects have one size, or sizes with ratios of up to 1:256. A large object is
 * added before the others, and removed after they are added.
 */
function indexSearch(
  options: WorldOptions & { readonly dimensions: Dimensions },
  positions: Float32Array,
  sizes: 'one size' | 'many sizes',
): SearchNearest {
  const { cellSize: _, crowds: __, ...worldOptions } = options;
  const { dimensions } = options;
  const count = positions.length / dimensions;
  const index = createCpuIndex({ ...worldOptions, capacity: count + 1 });
  const half = Math.min(...index.bounds.period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
  const names: number[] = [];
  index.add(new Array<number>(dimensions).fill(0), half === Number.POSITIVE_INFINITY ? 2 ** 40 : half / 2);
  for (let id = 0; id < count; id++) {
    const vector = loadVector(dimensions, positions, id);
    if (!vector.every(Number.isFinite)) continue;
    const exponent = sizes === 'one size' ? 1 : 1 + ((7 * id) % 9);
    names[index.add(vector, ASKED_DIAMETER / 2 ** exponent)] = id;
  }
  index.remove(0);
  return (point, k, radius) => {
    const { ids, distancesSquared } = index.nearest(point, k, radius);
    return { ids: ids.map((id) => names[id] as number), distancesSquared };
  };
}

describe.each([2, 3] as const)('the nearest particles in %dD', (dimensions) => {
  it.each(Object.entries(askedWorlds(dimensions)))(
    'have the ids and the distances of brute force in a world that is %s',
    { tags: 'case' },
    (_, { options, radii }) => {
      const { world, positions, points } = askedCrowd(options, PARTICLES, POINTS);
      const grid = createCpuGrid({ ...options, diameter: ASKED_DIAMETER, capacity: PARTICLES });
      grid.build(positions);
      const engines: Readonly<Record<string, SearchNearest>> = {
        'a grid': (...query) => grid.nearest(...query),
        'an index of one size': indexSearch(options, positions, 'one size'),
        'an index of many sizes': indexSearch(options, positions, 'many sizes'),
      };
      for (let point = 0; point < POINTS; point++) {
        const position = loadVector(dimensions, points, point);
        if (!position.every(Number.isFinite)) continue;
        const all = findNearest(world, positions, position, PARTICLES, 2 * WHOLE);
        for (const radius of [0.5, 1, ...radii, undefined]) {
          // The reference omits particles exactly at the radius, so it searches farther and this filter applies the
          // radius. The reference also rounds large squares to 32-bit floats; such distances are not compared.
          const nearer = all.filter(
            ({ distanceSquared }) => radius === undefined || distanceSquared <= radius * radius,
          );
          const isRounded = world.kind === 'unbounded' && (radius ?? WHOLE) > 1000;
          for (const k of [1, 7, PARTICLES + 1]) {
            const expected = nearer.slice(0, k);
            for (const [engine, search] of Object.entries(engines)) {
              const { ids, distancesSquared } = search(position, k, radius);
              expect(ids.length, engine).toBe(expected.length);
              if (isRounded) continue;
              const isSame = expected.every(
                ({ id, distanceSquared }, rank) =>
                  ids[rank] === id && distancesSquared[rank] === distanceSquared,
              );
              expect(isSame, `${engine}, ${k} within ${radius} of ${position}`).toBe(true);
            }
          }
        }
      }
    },
  );

  it.each(['bounded', ...Object.keys(unusualCrowds)])(
    'are no farther than any other particle, at any positions, in worlds that are %s',
    (kind) => {
      const arbitrary =
        kind === 'bounded'
          ? crowds(dimensions, 60)
          : (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, 60);
      fc.assert(
        fc.property(
          arbitrary,
          fc.array(fc.double({ min: -2, max: 2, noNaN: true }), {
            minLength: dimensions,
            maxLength: dimensions,
          }),
          fc.nat(59),
          fc.integer({ min: 1, max: 61 }),
          fc.option(fc.double({ min: 0.01, max: 60, noNaN: true }), { nil: undefined }),
          (crowd, offset, index, k, size) => {
            const { world } = crowd;
            const options = kind === 'bounded' ? (crowd as Crowd).options : optionsOf(world);
            const grid = createCpuGrid({ ...options, diameter: world.diameter, capacity: 60 });
            grid.build(crowd.positions);
            const positions = kind === 'bounded' ? crowd.positions : stored(crowd);
            const count = positions.length / dimensions;
            const middle = dimensions * (index % Math.max(1, count));
            const point = offset.map(
              (share, axis) => (positions[middle + axis] ?? 0) + share * world.diameter,
            );
            if (!point.every((value) => Number.isFinite(Math.fround(value)))) return;
            const radius = size === undefined ? Number.POSITIVE_INFINITY : size * world.diameter;
            const distances = Array.from({ length: count }, (_, id) =>
              Math.hypot(
                ...point.map((value, axis) =>
                  minimumImageInDoubles(
                    (positions[dimensions * id + axis] as number) - value,
                    world.period[axis] as number,
                  ),
                ),
              ),
            );
            const noise = (distance: number) =>
              1e-12 * Math.max(...point.map(Math.abs), world.diameter, distance);
            const { ids, distancesSquared } = grid.nearest(point, k, size === undefined ? undefined : radius);
            expect(new Set(ids).size).toBe(ids.length);
            ids.forEach((id, rank) => {
              const distance = distances[id] as number;
              const got = Math.sqrt(distancesSquared[rank] as number);
              expect(Math.abs(got - distance)).toBeLessThanOrEqual(noise(distance));
              expect(got).toBeLessThanOrEqual(radius * (1 + 1e-15));
              if (rank === 0) return;
              const before = distancesSquared[rank - 1] as number;
              const isTie = before === distancesSquared[rank];
              expect(before).toBeLessThanOrEqual(distancesSquared[rank] as number);
              if (isTie) expect(ids[rank - 1]).toBeLessThan(id);
            });
            const last =
              ids.length === k ? Math.min(radius, Math.sqrt(distancesSquared.at(-1) as number)) : radius;
            distances.forEach((distance, id) => {
              if (Number.isFinite(distance) && distance < last - noise(distance)) expect(ids).toContain(id);
            });
          },
        ),
        runs(100),
      );
    },
  );
});

describe('a search for the nearest', () => {
  const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [64, 64], diameter: 1, capacity: 5000 });
  const positions = new Float32Array(2 * 5000);
  for (let id = 0; id < 5000; id++) positions.set([id % 71, Math.floor(id / 71) - 3], 2 * id);

  it('goes beyond its first cells, but no farther than the radius', () => {
    grid.build(positions);
    expect([...grid.nearest([10, 10], 5).distancesSquared]).toEqual([0, 1, 1, 1, 1]);
    expect(grid.nearest([10, 10], 1000).ids).toHaveLength(1000);
    expect(grid.nearest([10, 10], 1000, 1).ids).toHaveLength(5);
    expect(grid.nearest([-500, 10], 1).ids).toEqual(Uint32Array.of(71 * 13));
    expect(grid.nearest([10, 10], 9000).ids).toHaveLength(5000);
    grid.build(new Float32Array(0));
    expect(grid.nearest([10, 10], 5).ids).toHaveLength(0);
  });

  it('may run inside a visitor of pairs, and rejects bad arguments with an explanation', () => {
    grid.build(Float32Array.of(1, 1, 1.5, 1));
    let nearest = 0;
    grid.forEachPair((first) => {
      nearest += grid.nearest([1, 1], 2).ids.length + first;
    });
    expect(nearest).toBe(2);
    for (const [k, radius, message] of [
      [0, 1, /^k is 0, /],
      [1.5, 1, /^k is 1\.5, /],
      [1, 0, /^radius is 0, /],
      [1, Number.NaN, /^radius is NaN, /],
    ] as const) {
      expect(() => grid.nearest([1, 1], k, radius)).toThrow(ArgumentError);
      expect(() => grid.nearest([1, 1], k, radius)).toThrow(message);
    }
    expect(() => grid.nearest([1, Number.POSITIVE_INFINITY], 1)).toThrow(/^point\[1\] is Infinity, /);
  });
});
