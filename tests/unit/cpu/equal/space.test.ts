import { describe, expect, it } from 'vitest';
import { defineWorld } from '../../../../src/core/world/world';
import { createCpuGrid } from '../../../../src/cpu';
import { CellOrder } from '../../../../src/cpu/equal/order';
import { PairSearch } from '../../../../src/cpu/equal/search';
import { SPACE } from '../../../../src/cpu/equal/space';
import { isSparse as isSparseInSpace } from '../../../../src/cpu/equal/space-window';
import { defineLattice, STRETCH } from '../../../../src/cpu/shared/lattice';
import { createNoise } from '../../../../src/testing/noise';
import { sortedPairs } from '../../../helpers/exact-pairs';
import { fc, runs } from '../../../helpers/properties';

describe('the pairs of a grid in 3D', () => {
  type Ball = readonly [number, number, number];
  /** Returns a function that draws multiples of 1/units below a limit. */
  const drawFrom = (seed: number) => {
    const noise = createNoise(seed);
    return (limit: number, units: number) => Math.floor(noise() * limit * units) / units;
  };

  /**
   * Compares the pairs of a grid with those of a sweep along the longest axis. Coordinates must be dyadic, so that
   * doubles decide exactly.
   */
  const expectSwept = (balls: readonly Ball[], max: readonly number[]) => {
    const grid = createCpuGrid({
      dimensions: 3,
      min: [0, 0, 0],
      max,
      diameter: 1,
      capacity: balls.length,
    });
    grid.build(Float32Array.from(balls.flat()));
    const along = max.indexOf(Math.max(...max)) as 0 | 1 | 2;
    const sorted = balls.map((ball, id) => ({ id, ball })).sort((a, b) => a.ball[along] - b.ball[along]);
    const expected: number[] = [];
    sorted.forEach(({ id, ball: own }, rank) => {
      const [x, y, z] = own;
      for (let other = rank + 1; other < sorted.length; other++) {
        const { id: otherId, ball } = sorted[other] as (typeof sorted)[number];
        if (ball[along] - own[along] >= 1) break;
        const squared = (ball[0] - x) ** 2 + (ball[1] - y) ** 2 + (ball[2] - z) ** 2;
        if (squared < 1) expected.push(Math.min(id, otherId), Math.max(id, otherId));
      }
    });
    const { count: found, pairs } = grid.findPairs();
    expect(found).toBe(expected.length / 2);
    // Compare as one string, since a diff of long lists takes minutes.
    expect(pairs.join() === sortedPairs(expected).join()).toBe(true);
    expect(grid.countPairs()).toBe(found);
  };

  it('are found if balls are sparse, dense and sparse again', () => {
    const width = 8;
    const band = fc.record({
      // A search is sparse from 16 keys per slot on. With the ring around the world, 40 cells per ball give 62 keys.
      cellsEach: fc.constantFrom(0.04, 0.2, 0.6, 1, 2, 10, 40),
      count: fc.integer({ min: 1, max: 1500 }),
      // Balls at coarse coordinates often touch or coincide.
      units: fc.constantFrom(4, 64),
    });
    fc.assert(
      fc.property(fc.array(band, { minLength: 1, maxLength: 4 }), fc.nat(), (bands, seed) => {
        const below = drawFrom(seed);
        let top = 0;
        const balls = bands.flatMap(({ cellsEach, count, units }) => {
          const height = Math.ceil((cellsEach * count) / width ** 2);
          const bottom = top;
          top += height;
          return Array.from(
            { length: count },
            (): Ball => [below(width, units), below(width, units), bottom + below(height, units)],
          );
        });
        expectSwept(balls, [width, width, top]);
      }),
      runs(20),
    );
  });

  it('are found in and after a layer that has more slots or more cells than the window', () => {
    const below = drawFrom(9);
    const layer = (count: number, z: number, long: number, high: number) =>
      Array.from({ length: count }, (): Ball => [below(long, 64), below(high, 64), z + below(1, 64)]);
    expectSwept(
      [...layer(3000, 0, 900, 8), ...layer(36_000, 1, 900, 8), ...layer(3000, 5, 900, 8)],
      [900, 8, 8],
    );
    // Each layer has 133,000 cells.
    expectSwept(
      [0, 1].flatMap((z) => layer(9000, z, 10_200, 11)),
      [10_200, 11, 2],
    );
  });

  it('are searched as sparse if there are at least sixteen cells per slot', () => {
    const keysWith = (gap: number, slots: number) =>
      Int32Array.from({ length: slots + 1 }, (_, slot) => (slot === slots ? 0x7fff_ffff : 5 + gap * slot));
    // The keys of n slots have only n − 1 gaps between them, so gaps of 16 cells make fewer than 16 cells per slot.
    expect(isSparseInSpace(keysWith(16, STRETCH), STRETCH, 0)).toBe(false);
    expect(isSparseInSpace(keysWith(17, STRETCH), STRETCH, 0)).toBe(true);
    // Only the slots of the stretch count, not the slots before it.
    expect(isSparseInSpace(keysWith(16, 2 * STRETCH), 2 * STRETCH, STRETCH)).toBe(false);
    expect(isSparseInSpace(keysWith(30, 2), 2, 0)).toBe(false);
    expect(isSparseInSpace(keysWith(32, 2), 2, 0)).toBe(true);
    expect(isSparseInSpace(keysWith(99, 2), 2, 1)).toBe(false);
  });

  it('are found with the window if balls are not sparse and a layer fits it, and otherwise by keys', () => {
    // The first and the third layer fit the window; the second has too many slots for it.
    const below = drawFrom(9);
    const counts = [3000, 40_000, 6000];
    const balls = counts.flatMap((count, index) =>
      Array.from({ length: count }, (): Ball => [below(900, 64), below(8, 64), 10 * index + below(1, 64)]),
    );
    const count = balls.length;
    const positions = Float32Array.from(balls.flat());
    const lattice = defineLattice(defineWorld({ dimensions: 3, min: [0, 0, 0], max: [900, 8, 60] }, 1));
    const order = new CellOrder(lattice, count);
    const sorted = new Float32Array(3 * count);
    order.sort(positions, new Uint32Array(positions.buffer), count, new Uint32Array(sorted.buffer));
    const stopsOf = () => {
      const search = new PairSearch(order, 1, count);
      search.begin(sorted, order.source, 'grid');
      // Every loop of the search sets `next` once when it stops.
      const stops: number[] = [];
      Object.defineProperty(search.task, 'next', {
        get: () => stops.at(-1) ?? 0,
        set: (next: number) => stops.push(next),
      });
      search.task.words = new Uint32Array(2 ** 20);
      SPACE.collect(search.task, 0x7fff_ffff, count);
      return stops;
    };
    const stops = stopsOf();
    // The last stretch of the first layer is sparse, because it continues into the second, across nine empty layers.
    expect(stops[0]).toBeGreaterThan(3000 - STRETCH);
    expect(stops[0]).toBeLessThan(3000);
    // From this slot on, the rest of the second layer fits the window.
    const fits = 43_000 - 2 ** 15;
    const again = stops.findIndex((stop, index) => (stops[index + 1] ?? 0) > stop + STRETCH);
    expect(stops[again]).toBeGreaterThan(fits);
    expect(stops[again]).toBeLessThan(fits + 256 + 2 * STRETCH);
    expect(stops.at(-1)).toBe(count);
  });
});
