import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { wrapOnce } from '../../../../src/core/world/cells';
import { levelOf } from '../../../../src/core/world/levels';
import type { Dimensions, World, WorldOptions } from '../../../../src/core/world/world';
import { createCpuLevelGrid } from '../../../../src/cpu';
import { bruteForceLevelPairs } from '../../../../src/reference/grid/levels';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { repeat } from '../../../../src/scenes/scene';
import { createNoise } from '../../../../src/testing/noise';
import { exactOverlap, expectPairs, sortedPairs, vectorAt } from '../../../helpers/exact-pairs';
import { type VariableCrowd, variableCrowds, WORLD_CASES } from '../../../helpers/inputs/variable-crowds';

import { buffersOf } from '../../../helpers/memory';
import { expectSeen, fc, runs } from '../../../helpers/properties';

function stored({ world, positions }: Pick<VariableCrowd, 'world' | 'positions'>): Float32Array {
  return positions.map((value, index) => wrapOnce(world, value, index % world.dimensions));
}

function isThere(
  { world, positions, radiusOf }: Omit<VariableCrowd, 'options' | 'radii'>,
  particle: number,
): boolean {
  const position = vectorAt(positions, world.dimensions, particle);
  return levelOf(world, radiusOf[particle] as number) !== undefined && position.every(Number.isFinite);
}

/** Returns whether two balls overlap. Exact arithmetic is slow, so it decides only if doubles could be wrong. */
function overlaps(
  a: readonly number[],
  b: readonly number[],
  radius: number,
  otherRadius: number,
  { period }: World,
): boolean {
  const apart = a.map((value, axis) =>
    minimumImageInDoubles(value - (b[axis] as number), period[axis] as number),
  );
  const distance = Math.sqrt(apart.reduce((sum, value) => sum + value ** 2, 0));
  const reach = radius + otherRadius;
  const doubt = 1e-9 * (distance + reach + Math.max(...period));
  if (Math.abs(distance - reach) > doubt) return distance < reach;
  return exactOverlap(a, b, radius, period, otherRadius);
}

function exactPairs(crowd: Omit<VariableCrowd, 'options' | 'radii'>): number[] {
  const { world, radiusOf } = crowd;
  const positions = stored(crowd);
  const there = [...radiusOf.keys()].filter((particle) => isThere(crowd, particle));
  const vectors = there.map((particle) => vectorAt(positions, world.dimensions, particle));
  return there.flatMap((a, rank) =>
    there.slice(rank + 1).flatMap((b, further) => {
      const [here, beside] = [vectors[rank] as number[], vectors[rank + 1 + further] as number[]];
      return overlaps(here, beside, radiusOf[a] as number, radiusOf[b] as number, world) ? [a, b] : [];
    }),
  );
}

type Scatter = (dimensions: Dimensions) => {
  options: WorldOptions;
  positions: Float32Array;
  radiusOf: Float32Array;
};

/** Rounds to multiples of 1/32, so that brute force in doubles is exact. */
const whole = (value: number) => Math.round(value * 32) / 32;

function scattered(
  dimensions: Dimensions,
  options: WorldOptions,
  count: number,
  coordinate: (noise: () => number, index: number) => number,
  size: (noise: () => number, index: number) => number,
) {
  const noise = createNoise(count);
  return {
    options,
    positions: Float32Array.from({ length: dimensions * count }, (_, index) =>
      whole(coordinate(noise, Math.floor(index / dimensions))),
    ),
    radiusOf: Float32Array.from({ length: count }, (_, index) => whole(size(noise, index))),
  };
}

const SCATTERED: Readonly<Record<string, Scatter>> = {
  'spread evenly': (dimensions) => {
    const edge = dimensions === 2 ? 2600 : 800;
    const box = {
      dimensions,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
    };
    return scattered(
      dimensions,
      box,
      1500,
      (noise) => edge * noise(),
      (noise) => 64 ** noise(),
    );
  },
  'around a few large ones': (dimensions) => {
    const edge = dimensions === 2 ? 400 : 80;
    const options = { dimensions, unbounded: true };
    const size = (_: () => number, index: number) => (index % 700 === 3 ? 64 : 1);
    return scattered(dimensions, options, 2000, (noise) => edge * (noise() - 0.5), size);
  },
  'across the ends of a world': (dimensions) => {
    const edge = 640;
    const box = {
      dimensions,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
    };
    const coordinate = (noise: () => number) => (edge + 90 * (noise() - 0.5)) % edge;
    return scattered(dimensions, { ...box, periodic: true }, 900, coordinate, (noise) => 32 ** noise());
  },
  'in clusters far apart': (dimensions) => {
    const options = { dimensions, unbounded: true };
    const coordinate = (noise: () => number, index: number) => 2 ** 17 * ((index % 3) - 1) + 250 * noise();
    return scattered(dimensions, options, 1500, coordinate, (noise) => 64 ** noise());
  },
};

describe.each([2, 3] as const)('CpuLevelGrid in %dD', (dimensions) => {
  it.each(WORLD_CASES)('finds the same pairs as exact brute force in a world that is %s', (kind) => {
    let pairs = 0;
    fc.assert(
      fc.property(variableCrowds(kind, dimensions, 40), (crowd) => {
        const { options, radii, world, positions, radiusOf } = crowd;
        const grid = createCpuLevelGrid({ ...options, radii, capacity: 40 });
        expect(grid.world).toEqual(world);
        grid.build(positions, radiusOf);
        const expected = exactPairs(crowd);
        expectPairs(grid, expected);
        pairs += expected.length / 2;
        const aside = [...radiusOf.keys()].filter((particle) => !isThere(crowd, particle)).length;
        expect(grid.nonFinite).toBe(aside);
        expect(grid.count).toBe(radiusOf.length);
      }),
      runs(300),
    );
    expectSeen(pairs, 2000);
  });

  for (const [name, scatter] of Object.entries(SCATTERED)) {
    it(`finds the same pairs as brute force among many particles ${name}, in any order of input`, {
      tags: 'case',
    }, () => {
      const crowd = scatter(dimensions);
      const { options, positions, radiusOf } = crowd;
      const count = radiusOf.length;
      const grid = createCpuLevelGrid({ ...options, radii: { smallest: 1, largest: 64 }, capacity: count });
      grid.build(positions, radiusOf);
      const ids = grid.ids();
      expect(Uint32Array.from(ids).sort()).toEqual(Uint32Array.from(radiusOf.keys()));
      const expected = bruteForceLevelPairs(grid.world, positions, radiusOf);
      expect(expected.length).toBeGreaterThan(200);
      expectPairs(grid, [...expected]);
      for (const order of [ids, ids.slice().reverse()]) {
        const moved = new Float32Array(positions.length);
        order.forEach((id, index) => {
          moved.set(vectorAt(positions, dimensions, id), dimensions * index);
        });
        grid.build(
          moved,
          Float32Array.from(order, (id) => radiusOf[id] as number),
        );
        const { pairs } = grid.findPairs();
        const named = sortedPairs(namedAs(pairs, order));
        expect(named).toEqual([...expected]);
        if (order === ids) expect([...grid.ids()]).toEqual([...ids.keys()]);
      }
    });
  }

  it.each(WORLD_CASES)(
    'finds the centres near a point, and the nearest ones, in a world that is %s',
    (kind) => {
      const query = fc.record({
        share: fc.array(fc.double({ min: -0.2, max: 1.2, noNaN: true }), {
          minLength: dimensions,
          maxLength: dimensions,
        }),
        reach: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        k: fc.integer({ min: 1, max: 9 }),
      });
      fc.assert(
        fc.property(variableCrowds(kind, dimensions, 60), query, (crowd, { share, reach, k }) => {
          const { options, radii, world, radiusOf } = crowd;
          const grid = createCpuLevelGrid({ ...options, radii, capacity: 60 });
          grid.build(crowd.positions, radiusOf);
          const positions = stored(crowd);
          const [low, high] = kind === 'unbounded' ? [-4 * radii.largest, 4 * radii.largest] : [0, 0];
          const point = share.map((part, axis) => {
            const first = low || (world.min[axis] as number);
            return first + part * ((high || (world.max[axis] as number)) - first);
          });
          const lengths = world.period.filter((length) => length > 0);
          const radius = reach * Math.min(8 * radii.largest, ...lengths);
          const all = [...radiusOf.keys()].flatMap((id) => {
            if (!isThere(crowd, id)) return [];
            const apart = point.map((value, axis) => {
              const period = world.period[axis] as number;
              const inside =
                period > 0
                  ? value - period * Math.floor((value - (world.min[axis] as number)) / period)
                  : value;
              const distance = Math.abs((positions[dimensions * id + axis] as number) - inside);
              return period > 0 ? Math.min(distance, Math.abs(period - distance)) : distance;
            });
            return [{ id, squared: apart.reduce((sum, value) => sum + value * value, 0) }];
          });
          const near: number[] = [];
          grid.near(point, radius, (id, squared) => {
            expect(squared).toBeLessThanOrEqual(radius * radius);
            near.push(id);
          });
          const expected = all.filter(({ squared }) => squared <= radius * radius).map(({ id }) => id);
          expect(near.sort((a, b) => a - b)).toEqual(expected);
          all.sort((a, b) => a.squared - b.squared || a.id - b.id);
          expect([...grid.nearest(point, k).ids]).toEqual(all.slice(0, k).map(({ id }) => id));
          const within = all.filter(({ squared }) => squared <= radius * radius);
          expect([...grid.nearest(point, k, radius).ids]).toEqual(within.slice(0, k).map(({ id }) => id));
        }),
        runs(150),
      );
    },
  );

  it('rejects bad arguments and keeps its state', () => {
    const world = { dimensions, unbounded: true };
    const radii = { smallest: 1, largest: 4 };
    const grid = createCpuLevelGrid({ ...world, radii, capacity: 2 });
    const positionsOf = (count: number) => new Float32Array(dimensions * count).fill(3);
    grid.build(positionsOf(2), Float32Array.of(1, 4));
    expect(() => grid.build(positionsOf(3), Float32Array.of(1, 1, 1))).toThrow(ArgumentError);
    expect(() => grid.build(positionsOf(2), Float32Array.of(1))).toThrow(
      /^radii.length is 1, but it must be 2/,
    );
    expect(() => grid.build(positionsOf(2), [1, 1] as unknown as Float32Array)).toThrow(ArgumentError);
    expect(() => grid.build(positionsOf(1), Float32Array.of(1), 2)).toThrow(ArgumentError);
    expect(() => grid.near([0], 1, () => {})).toThrow(ArgumentError);
    expect(() => grid.nearest([0, 0, 0].slice(0, dimensions), 0)).toThrow(ArgumentError);
    expect(() => grid.forEachPair(() => grid.build(positionsOf(1), Float32Array.of(1)))).toThrow(
      CellstormError,
    );
    expect(() => grid.forEachPair(() => grid.countPairs())).toThrow(CellstormError);
    expect(grid.countPairs()).toBe(1);
    grid.build(positionsOf(2), Float32Array.of(1, 4), 1);
    expect([grid.count, grid.countPairs(), grid.nonFinite]).toEqual([1, 0, 0]);
    const create = (changes: object) =>
      createCpuLevelGrid({ ...world, radii, capacity: 2, ...changes } as never);
    expect(() => create({ diameter: 1 })).toThrow(
      /^options\.diameter is 1, but it must be left out or renamed/,
    );
    expect(() => create({ radii: { smallest: 4, largest: 1 } })).toThrow(ArgumentError);
    expect(() => create({ radii: { ...radii, mean: 2 } })).toThrow(ArgumentError);
    expect(() => create({ cellSize: 0 })).toThrow(ArgumentError);
    expect(() => create({ capacity: -1 })).toThrow(ArgumentError);
    expect(() => create({ radii: undefined })).toThrow(ArgumentError);
  });

  it('reports its memory, and does not allocate when rebuilt', () => {
    const { options, positions, radiusOf } = (SCATTERED['spread evenly'] as Scatter)(dimensions);
    const radii = { smallest: 1, largest: 64 };
    const grid = createCpuLevelGrid({ ...options, radii, capacity: radiusOf.length });
    grid.build(positions, radiusOf);
    grid.collectPairs();
    const before = buffersOf(grid);
    grid.build(positions, radiusOf);
    grid.collectPairs();
    const point = repeat(9, dimensions);
    grid.near(point, 20, () => {});
    grid.inBox(point, repeat(99, dimensions), () => {});
    grid.alongRay(point, point, 20, () => {});
    const after = buffersOf(grid);
    expect(after).toEqual(before);
    expect([...after].reduce((sum, buffer) => sum + buffer.byteLength, 0)).toBe(grid.memoryBytes);
  });
});

/** Replaces the indices in `pairs` by the entries of `order`, and puts the lower entry of each pair first. */
function namedAs(pairs: Uint32Array, order: Uint32Array): number[] {
  const named: number[] = [];
  for (let word = 0; word < pairs.length; word += 2) {
    const [a, b] = [order[pairs[word] as number] as number, order[pairs[word + 1] as number] as number];
    named.push(Math.min(a, b), Math.max(a, b));
  }
  return named;
}
