import { describe, expect, it } from 'vitest';
import { defineWorld } from '../../../../src/core/world/world';
import { createCpuGrid } from '../../../../src/cpu';
import { CellOrder } from '../../../../src/cpu/equal/order';
import { PLANE } from '../../../../src/cpu/equal/plane';
import { isSparse } from '../../../../src/cpu/equal/plane-window';
import { PairSearch } from '../../../../src/cpu/equal/search';
import { defineLattice, STRETCH } from '../../../../src/cpu/shared/lattice';
import { createNoise } from '../../../../src/testing/noise';
import { ending } from '../../../helpers/ending';
import { sortedPairs } from '../../../helpers/exact-pairs';
import { fc, runs } from '../../../helpers/properties';

describe('the pairs of a grid in 2D', () => {
  // Rows 10 and 11 each have more slots than fit the window of plane-window.ts, and no part of them is sparse.
  const count = 24_800;
  const noise = createNoise(5);
  const next = (below: number) => Math.floor(noise() * below * 64) / 64;
  const positions = Float32Array.from({ length: 2 * count }, (_, index) => {
    if (index % 2 === 0) return next(1500);
    return index < 2 * 4000 ? next(10) : index < 2 * 20_800 ? 10 + next(2) : 12 + next(8);
  });
  const byX = Array.from({ length: count }, (_, id) => id).sort(
    (a, b) => (positions[2 * a] as number) - (positions[2 * b] as number),
  );

  /** Returns the pairs of the ids below `among`, by a sweep along x. Doubles are exact for these dyadic coordinates. */
  const swept = (among: number) => {
    const ids = byX.filter((id) => id < among);
    const pairs: number[] = [];
    ids.forEach((a, rank) => {
      for (let other = rank + 1; other < ids.length; other++) {
        const b = ids[other] as number;
        const x = (positions[2 * b] as number) - (positions[2 * a] as number);
        if (x >= 1) break;
        const y = (positions[2 * b + 1] as number) - (positions[2 * a + 1] as number);
        if (x * x + y * y < 1) pairs.push(Math.min(a, b), Math.max(a, b));
      }
    });
    return sortedPairs(pairs);
  };

  it('are found whether or not rows fit the window, and after a build with more particles than now', () => {
    const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [1500, 20], diameter: 1, capacity: count });
    for (const among of [count, 9999, 4000, 998, 7, 1]) {
      grid.build(positions, among);
      const { count: found, pairs } = ending(() => grid.collectPairs());
      // Compare as one string, since a diff of long lists takes minutes.
      expect(sortedPairs(pairs.subarray(0, 2 * found)).join() === swept(among).join()).toBe(true);
    }
  });

  it('are found with the window again after rows that do not fit it', () => {
    // There are 24 cells per disc on average, but far fewer in the occupied rows.
    const lattice = defineLattice(defineWorld({ dimensions: 2, min: [0, 0], max: [1500, 400] }, 1));
    const order = new CellOrder(lattice, count);
    const sorted = new Float32Array(2 * count);
    order.sort(positions, new Uint32Array(positions.buffer), count, new Uint32Array(sorted.buffer));
    const search = new PairSearch(order, 1, count);
    search.begin(sorted, order.source);
    // Every loop of the search sets `next` once when it stops.
    const stops: number[] = [];
    Object.defineProperty(search.task, 'next', {
      get: () => stops.at(-1) ?? 0,
      set: (next: number) => stops.push(next),
    });
    PLANE.collect(search.task, 0x7fff_ffff, count);
    const upTo = (row: number) =>
      Array.from({ length: count }, (_, id) => positions[2 * id + 1] as number).filter((y) => y < row).length;
    // The window must hold all slots up to the same x in the next row. In row 9 this fails, because row 10 has many
    // slots. After the first tenth of row 11 it works again, because row 12 has few.
    const [fitting = 0] = stops;
    expect(fitting).toBeGreaterThan(upTo(9) - 256);
    expect(fitting).toBeLessThanOrEqual(upTo(10));
    const again = stops.findIndex((stop, index) => (stops[index + 1] ?? 0) > stop + STRETCH);
    expect(stops[again]).toBeGreaterThan(upTo(11));
    expect(stops[again]).toBeLessThan(upTo(11) + 2 * STRETCH);
    expect(stops.slice(0, again).every((stop) => stop === fitting || (stop - fitting) % STRETCH === 0)).toBe(
      true,
    );
    expect(stops[again + 1]).toBeGreaterThan(count - STRETCH);
    expect(stops.at(-1)).toBe(count);
  });

  it('are searched as sparse only if fewer than a quarter of the sampled slots have a neighbour', () => {
    // The first of every sixteen slots is sampled.
    const keysWith = (near: number, slots: number, gap = 2) => {
      let key = 0;
      return Int32Array.from({ length: slots + 1 }, (_, slot) => {
        if (slot === slots) return 0x7fff_ffff;
        key += slot % 16 === 1 && slot < 16 * near ? gap : 3;
        return key;
      });
    };
    const slots = 2 * STRETCH;
    expect(isSparse(keysWith(16, slots), slots, 0)).toBe(false);
    expect(isSparse(keysWith(15, slots), slots, 0)).toBe(true);
    expect(isSparse(keysWith(64, slots, 3), slots, 0)).toBe(true);
    expect(isSparse(keysWith(64, slots), slots, STRETCH)).toBe(true);
    // The last slot has no slot after it.
    expect(isSparse(keysWith(1, 17), 17, 0)).toBe(false);
    expect(isSparse(keysWith(1, 17), 17, 16)).toBe(true);
    expect(isSparse(keysWith(16, slots), 1, 0)).toBe(false);
  });

  it('are found if discs are sparse, dense and sparse again', () => {
    const width = 48;
    const band = fc.record({
      // These values are on both sides of the threshold for sparse rows.
      cellsEach: fc.constantFrom(0.1, 0.5, 2, 8, 10, 40),
      discs: fc.integer({ min: 1, max: 1500 }),
      // Discs at coarse coordinates often touch or coincide.
      units: fc.constantFrom(2, 64),
    });
    fc.assert(
      fc.property(fc.array(band, { minLength: 1, maxLength: 4 }), fc.nat(), (bands, seed) => {
        const random = createNoise(seed);
        const below = (limit: number, units: number) => Math.floor(random() * limit * units) / units;
        let top = 0;
        const discs = bands.flatMap(({ cellsEach, discs, units }) => {
          const height = Math.ceil((cellsEach * discs) / width);
          const placed = Array.from({ length: discs }, () => [
            below(width, units),
            top + below(height, units),
          ]);
          top += height;
          return placed;
        });
        const grid = createCpuGrid({
          dimensions: 2,
          min: [0, 0],
          max: [width, top],
          diameter: 1,
          capacity: discs.length,
        });
        grid.build(Float32Array.from(discs.flat()));
        const byY = discs.map((_, id) => id).sort((a, b) => (discs[a]?.[1] ?? 0) - (discs[b]?.[1] ?? 0));
        const expected: number[] = [];
        byY.forEach((a, rank) => {
          for (const b of byY.slice(rank + 1)) {
            const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [discs[a] ?? [], discs[b] ?? []];
            if (by - ay >= 1) break;
            if ((bx - ax) ** 2 + (by - ay) ** 2 < 1) expected.push(Math.min(a, b), Math.max(a, b));
          }
        });
        const { count: found, pairs } = grid.findPairs();
        expect(found).toBe(expected.length / 2);
        expect(pairs.join() === sortedPairs(expected).join()).toBe(true);
      }),
      runs(25),
    );
  });

  it('are the same if the callback searches another grid', () => {
    const options = { dimensions: 2, min: [0, 0], max: [1500, 20], diameter: 1, capacity: count } as const;
    const [grid, other] = [createCpuGrid(options), createCpuGrid({ ...options, periodic: [true, true] })];
    // The pairs come in several portions, each of which ends inside a row.
    grid.build(positions);
    other.build(positions, 1500);
    const others = other.countPairs();
    const seen: number[] = [];
    ending(() =>
      grid.forEachPair((a, b) => {
        if (seen.length % 40_000 === 0) expect(other.countPairs()).toBe(others);
        seen.push(a, b);
      }),
    );
    expect(sortedPairs(seen).join() === swept(count).join()).toBe(true);
  });
});
