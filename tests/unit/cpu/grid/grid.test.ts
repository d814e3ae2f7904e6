import { describe, expect, it, vi } from 'vitest';
import { ArgumentError, CellstormError, LimitError } from '../../../src/core/base/errors';
import { cellOfParticle } from '../../../src/core/world/cells';
import { defineWorld } from '../../../src/core/world/world';
import { createCpuBoxPairs, createCpuGrid, createCpuIndex, createCpuSimulation } from '../../../src/cpu';
import { CellOrder } from '../../../src/cpu/equal/order';
import { PLANE } from '../../../src/cpu/equal/plane';
import { isSparse } from '../../../src/cpu/equal/plane-window';
import { PairSearch, sortPairs } from '../../../src/cpu/equal/search';
import { SPACE } from '../../../src/cpu/equal/space';
import { isSparse as isSparseInSpace } from '../../../src/cpu/equal/space-window';
import { defineLattice, reserve, STRETCH } from '../../../src/cpu/shared/lattice';
import { overlapsInPlane, overlapsInSpace } from '../../../src/cpu/shared/overlap';
import { createScene, worldOptions } from '../../../src/scenes';
import { repeat } from '../../../src/scenes/scene';
import { ending } from '../../helpers/ending';
import { exactOverlap, expectPairs, oracle, sortedPairs, vectorAt } from '../../helpers/exact-pairs';
import { cornersIn } from '../../helpers/inputs/vectors';
import { withLittleMemory } from '../../helpers/little-memory';
import { fc } from '../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';
import { atGate } from '../../helpers/thorough';

describe.each([2, 3] as const)('CpuGrid in %dD', (dimensions) => {
  const box = (low: number, high: number, diameter: number, capacity: number, cellSize?: number) =>
    createCpuGrid({
      dimensions,
      min: repeat(low, dimensions),
      max: repeat(high, dimensions),
      diameter,
      capacity,
      cellSize,
    });

  it.each([0, 1, 2, 3, 17, 64, 257])(
    'finds the same pairs as brute force among %d random particles',
    (count) => {
      const grid = box(-4, 5, 1, 300);
      // A linear congruence is random enough here, and the same on every run.
      let state = count + 1;
      const next = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (state >>> 8) / 2 ** 24;
      };
      const positions = Float32Array.from({ length: dimensions * count }, () => -4 + 9 * next());
      grid.build(positions);
      expectPairs(grid, oracle(positions, dimensions, 1));
    },
  );

  it('finds the same pairs as exact brute force, at any positions', () => {
    const grids = [
      box(0, 8, 1, 40),
      box(-3, 3, 1, 40),
      box(-2.5, 6, 0.3, 40),
      box(0.1, 7.7, 1.1, 40, 2.5),
      box(0, 1, 1, 40),
    ];
    const coordinate = fc.oneof(
      // Cell borders and exact ties are common.
      fc.integer({ min: -6, max: 18 }).map((half) => half / 2),
      fc.integer({ min: -5000, max: 9000 }).map((unit) => unit / 1024),
      fc.float({ min: -6, max: 12, noNaN: true }),
      fc.float({ noNaN: false }),
      fc.constantFrom(0, -0, 1e-40, -1e-40, 0.1, 0.3, 1.1, 7.7),
    );
    const vectors = fc.array(fc.array(coordinate, { minLength: dimensions, maxLength: dimensions }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.constantFrom(...grids), vectors, (grid, list) => {
        const positions = Float32Array.from(list.flat());
        grid.build(positions);
        expectPairs(grid, oracle(positions, dimensions, grid.diameter));
      }),
      { numRuns: atGate(300) },
    );
  });

  /** Returns the finite particles' ids by cell of core/world/cells.ts, ascending in each cell. */
  const expectCanonical = (grid: ReturnType<typeof box>, positions: Float32Array) => {
    const cells = Array.from({ length: positions.length / dimensions }, (_, particle) =>
      vectorAt(positions, dimensions, particle).every(Number.isFinite)
        ? cellOfParticle(grid.world, positions, particle)
        : Number.POSITIVE_INFINITY,
    );
    const expected = cells
      .map((_, particle) => particle)
      .sort((a, b) => {
        const [cellA, cellB] = [cells[a] as number, cells[b] as number];
        return cellA === cellB ? a - b : cellA - cellB;
      });
    const finite = cells.filter(Number.isFinite).length;
    expect([...grid.ids()]).toEqual(expected);
    expect([...grid.cells()]).toEqual(expected.slice(0, finite).map((id) => cells[id]));
    expect(grid.nonFinite).toBe(cells.length - finite);
  };

  it('puts particles into canonical order, in the cells of core/world/cells.ts', () => {
    const grid = box(-3.3, 4.7, 0.7, 200);
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -5, max: 6, noNaN: true }), { maxLength: 200 * dimensions }),
        (numbers) => {
          const count = Math.floor(numbers.length / dimensions);
          const positions = Float32Array.from(numbers.slice(0, count * dimensions));
          if (count > 4) positions[dimensions * 3] = Number.NaN;
          grid.build(positions);
          expectCanonical(grid, positions);
        },
      ),
    );
  });

  it('keeps a finite particle even if the number of its cell is not finite', () => {
    const count = 100;
    const grid = box(-3.3, 4.7, 0.7, count);
    const positions = Float32Array.from({ length: dimensions * count }, (_, index) => (index % 97) / 14 - 3);
    [3e38, -3e38, Number.POSITIVE_INFINITY, Number.NaN].forEach((far, index) => {
      for (let axis = 0; axis < dimensions; axis++) positions[dimensions * (5 * index + axis) + axis] = far;
    });
    grid.build(positions);
    expect(grid.nonFinite).toBe(2 * dimensions);
    expectCanonical(grid, positions);
  });

  it('gives the same result for sorted and for reversed input', () => {
    const scene = createScene('clustered', { dimensions, count: 3000 });
    const { min, max } = scene;
    const grid = createCpuGrid({ dimensions, min, max, diameter: 1, capacity: 3000 });
    grid.build(scene.positions);
    const order = grid.ids();
    const pairsOf = (sources: Uint32Array) => {
      const positions = new Float32Array(scene.positions.length);
      sources.forEach((source, index) => {
        positions.set(vectorAt(scene.positions, dimensions, source), dimensions * index);
      });
      grid.build(positions);
      const named: number[] = [];
      grid.forEachPair((first, second) => {
        const [a, b] = [sources[first] as number, sources[second] as number];
        named.push(Math.min(a, b), Math.max(a, b));
      });
      return sortedPairs(named);
    };
    const expected = pairsOf(Uint32Array.from({ length: 3000 }, (_, index) => index));
    expect(expected.length).toBeGreaterThan(3000);
    expect(pairsOf(order)).toEqual(expected);
    expect([...grid.ids()]).toEqual([...order.keys()]);
    expect(pairsOf(order.slice().reverse())).toEqual(expected);
  });

  it.each(EQUAL_RADIUS_SCENES)('finds the pairs of the scene %s', (name) => {
    const scene = createScene(name, { dimensions, count: 300 });
    const grid = createCpuGrid({ ...worldOptions(scene), diameter: 2 * scene.radius, capacity: 300 });
    grid.build(scene.positions);
    expectPairs(grid, oracle(scene.positions, dimensions, 2 * scene.radius, grid.world.period));
  });

  it('finds all pairs of coincident particles, in several portions', () => {
    const count = 700;
    const grid = box(0, 4, 1, count);
    grid.build(new Float32Array(dimensions * count).fill(1.5));
    let visits = 0;
    let sum = 0;
    grid.forEachPair((first, second) => {
      visits++;
      sum += first * count + second;
    });
    let expected = 0;
    for (let first = 0; first < count; first++)
      for (let second = first + 1; second < count; second++) expected += first * count + second;
    expect(visits).toBe((count * (count - 1)) / 2);
    expect(sum).toBe(expected);
    const { pairs } = grid.findPairs();
    expect([...pairs.subarray(0, 4), ...pairs.subarray(-2)]).toEqual([0, 1, 0, 2, count - 2, count - 1]);
  });

  it('finds the particles near a point', () => {
    const grid = box(-2, 6, 1, 60);
    const coordinate = fc.float({ min: -4, max: 8, noNaN: true });
    const vector = fc.array(coordinate, { minLength: dimensions, maxLength: dimensions });
    fc.assert(
      fc.property(
        fc.array(vector, { maxLength: 60 }),
        vector,
        fc.double({ min: 0.01, max: 9, noNaN: true }),
        (list, point, radius) => {
          const positions = Float32Array.from(list.flat());
          grid.build(positions);
          const found: number[] = [];
          grid.near(point, radius, (id, distanceSquared) => {
            expect(distanceSquared).toBeLessThanOrEqual(radius * radius);
            found.push(id);
          });
          const expected = list.flatMap((_, id) => {
            const apart = vectorAt(positions, dimensions, id).map(
              (value, axis) => value - (point[axis] as number),
            );
            const squared = apart.reduce((sum, value) => sum + value * value, 0);
            return squared <= radius * radius ? [id] : [];
          });
          expect(found.sort((a, b) => a - b)).toEqual(expected);
          expect(grid.findNear(point, radius)).toEqual(Uint32Array.from(expected));
        },
      ),
    );
  });

  it.each(['bounded', 'periodic', 'unbounded'])(
    'finds all particles within an infinite radius in a %s world',
    (kind) => {
      const count = 200;
      const corner = cornersIn(dimensions);
      const worldOptions =
        kind === 'unbounded'
          ? ({ dimensions, unbounded: true } as const)
          : { dimensions, min: corner(-2), max: corner(6), periodic: kind === 'periodic' };
      let state = 7;
      const next = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (state >>> 8) / 2 ** 24;
      };
      const positions = Float32Array.from({ length: dimensions * count }, () => -3 + 10 * next());
      if (kind !== 'periodic') positions.set(corner(-3e38), 0);
      positions[dimensions * 9] = Number.NaN;
      const finite = Uint32Array.from({ length: count }, (_, id) => id).filter((id) => id !== 9);
      const equal = createCpuGrid({ ...worldOptions, diameter: 1, capacity: count });
      equal.build(positions);
      const mixed = createCpuGrid({ ...worldOptions, radii: { smallest: 0.1, largest: 1 }, capacity: count });
      mixed.build(
        positions,
        Float32Array.from({ length: count }, () => 0.1 + 0.9 * next()),
      );
      for (const grid of [equal, mixed]) {
        for (const point of [corner(1), corner(-2), corner(900)]) {
          const distances = new Map<number, number>();
          const order: number[] = [];
          grid.near(point, Number.POSITIVE_INFINITY, (id, distanceSquared) => {
            order.push(id);
            distances.set(id, distanceSquared);
          });
          expect(order).toEqual([...grid.ids().subarray(0, count - 1)]);
          expect(grid.findNear(point, Number.POSITIVE_INFINITY)).toEqual(finite);
          // `near` must report the same distances as `nearest`: of minimum images in a periodic world.
          const { ids, distancesSquared } = grid.nearest(point, count);
          ids.forEach((id, index) => {
            expect(distances.get(id)).toBe(distancesSquared[index]);
          });
        }
      }
    },
  );

  it('keeps its own copy of the positions, and can use only the first of them', () => {
    const grid = box(0, 8, 1, 10);
    const positions = new Float32Array(dimensions * 3).fill(2);
    grid.build(positions, 2);
    expect(grid.count).toBe(2);
    expect(grid.countPairs()).toBe(1);
    grid.build(positions);
    positions.fill(7);
    positions[0] = 1;
    expect(grid.countPairs()).toBe(3);
  });

  it('rejects bad arguments and keeps its state', () => {
    const grid = box(0, 8, 1, 2);
    grid.build(new Float32Array(dimensions * 2).fill(3));
    expect(() => grid.build(new Float32Array(dimensions * 3))).toThrow(ArgumentError);
    expect(() => grid.build(new Float32Array(dimensions + 1))).toThrow(ArgumentError);
    expect(() => grid.build([0, 0, 0] as unknown as Float32Array)).toThrow(ArgumentError);
    expect(() => grid.build(new Float32Array(dimensions), 2)).toThrow(ArgumentError);
    expect(() => grid.near([Number.NaN, 0, 0].slice(0, dimensions), 1, () => {})).toThrow(ArgumentError);
    expect(() => grid.near([0, 0, 0].slice(0, dimensions), 0, () => {})).toThrow(ArgumentError);
    expect(() => grid.findNear([0, 0, 0].slice(0, dimensions), -1)).toThrow(/^radius is -1, /);
    expect(() => grid.findNear([0], 1)).toThrow(/^point is /);
    expect(() => box(0, 8, -1, 2)).toThrow(ArgumentError);
    expect(() => box(0, 8, 1, 0.5)).toThrow(ArgumentError);
    expect(() => box(0, 8, 1, 2, 0.5)).toThrow(ArgumentError);
    expect(grid.countPairs()).toBe(1);
    expect(() => grid.forEachPair(() => grid.build(new Float32Array(dimensions)))).toThrow(CellstormError);
    expect(() => grid.forEachPair(() => grid.countPairs())).toThrow(CellstormError);
    let near = 0;
    grid.forEachPair(() => grid.near([3, 3, 3].slice(0, dimensions), 1, () => near++));
    expect(near).toBe(2);
    expect(grid.countPairs()).toBe(1);
  });
});

describe('pairs in 3D', () => {
  type Ball = readonly [number, number, number];
  let word = 9;
  const below = (limit: number, units: number) => {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    return Math.floor(((word >>> 8) / 2 ** 24) * limit * units) / units;
  };

  /** Coordinates are dyadic, so that doubles decide. */
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
    // Compared as one string, since a diff of long lists takes minutes.
    expect(pairs.join() === sortedPairs(expected).join()).toBe(true);
    expect(grid.countPairs()).toBe(found);
  };

  it('are found if balls are sparse, crowded and sparse again', () => {
    const width = 8;
    const band = fc.record({
      // On both sides of the threshold for crowded.
      cellsEach: fc.constantFrom(0.04, 0.2, 0.6, 1, 2, 10),
      count: fc.integer({ min: 1, max: 1500 }),
      // Balls at coarse coordinates often touch or coincide.
      units: fc.constantFrom(4, 64),
    });
    fc.assert(
      fc.property(fc.array(band, { minLength: 1, maxLength: 4 }), (bands) => {
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
      { numRuns: atGate(20) },
    );
  });

  it('are found in and after a layer that has more slots or more cells than the window', () => {
    const layer = (count: number, z: number, long: number, high: number) =>
      Array.from({ length: count }, (): Ball => [below(long, 64), below(high, 64), z + below(1, 64)]);
    expectSwept(
      [...layer(3000, 0, 900, 8), ...layer(36_000, 1, 900, 8), ...layer(3000, 5, 900, 8)],
      [900, 8, 8],
    );
    // 133,000 cells per layer.
    expectSwept(
      [0, 1].flatMap((z) => layer(9000, z, 10_200, 11)),
      [10_200, 11, 2],
    );
  });

  it('count as sparse from sixteen cells per slot on', () => {
    const keysWith = (gap: number, slots: number) =>
      Int32Array.from({ length: slots + 1 }, (_, slot) => (slot === slots ? 0x7fff_ffff : 5 + gap * slot));
    // Between the first and the last slot the keys have one gap less than slots.
    expect(isSparseInSpace(keysWith(16, STRETCH), STRETCH, 0)).toBe(false);
    expect(isSparseInSpace(keysWith(17, STRETCH), STRETCH, 0)).toBe(true);
    // Only the stretch itself counts, not what follows it.
    expect(isSparseInSpace(keysWith(16, 2 * STRETCH), 2 * STRETCH, STRETCH)).toBe(false);
    expect(isSparseInSpace(keysWith(30, 2), 2, 0)).toBe(false);
    expect(isSparseInSpace(keysWith(32, 2), 2, 0)).toBe(true);
    expect(isSparseInSpace(keysWith(99, 2), 2, 1)).toBe(false);
  });

  it('are found with the window if balls are not sparse and a layer fits, otherwise by keys', () => {
    // Three layers in a mostly empty box: a thin one, one that is too long, and a crowded one.
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
      // Each way to continue sets it once.
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
    // The last stretch of the thin layer continues into the next layer.
    expect(stops[0]).toBeGreaterThan(3000 - STRETCH);
    expect(stops[0]).toBeLessThan(3000);
    // From here on, the rest of the long layer fits the window.
    const fits = 43_000 - 2 ** 15;
    const again = stops.findIndex((stop, index) => (stops[index + 1] ?? 0) > stop + STRETCH);
    expect(stops[again]).toBeGreaterThan(fits);
    expect(stops[again]).toBeLessThan(fits + 256 + 2 * STRETCH);
    expect(stops.at(-1)).toBe(count);
  });
});

describe('pairs in 2D', () => {
  // Rows have height 1. Rows 10 and 11 are each longer than a window, and no slot is sparse.
  const count = 24_800;
  let state = 5;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below * 64) / 64;
  };
  const positions = Float32Array.from({ length: 2 * count }, (_, index) => {
    if (index % 2 === 0) return next(1500);
    return index < 2 * 4000 ? next(10) : index < 2 * 20_800 ? 10 + next(2) : 12 + next(8);
  });
  const byX = Array.from({ length: count }, (_, id) => id).sort(
    (a, b) => (positions[2 * a] as number) - (positions[2 * b] as number),
  );

  /** Returns the pairs of the first particles. Coordinates are dyadic, so doubles decide exactly. */
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

  it('are found if rows fit the window, if they do not, and after a build with more particles', () => {
    const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [1500, 20], diameter: 1, capacity: count });
    for (const among of [count, 9999, 4000, 998, 7, 1]) {
      grid.build(positions, among);
      const { count: found, pairs } = ending(() => grid.collectPairs());
      // Compared as one string, since a diff of long lists takes minutes.
      expect(sortedPairs(pairs.subarray(0, 2 * found)).join() === swept(among).join()).toBe(true);
    }
  });

  it('are found with the window again after rows that do not fit', () => {
    // 25 cells per disc on average, but far fewer per disc in the occupied rows.
    const lattice = defineLattice(defineWorld({ dimensions: 2, min: [0, 0], max: [1500, 400] }, 1));
    const order = new CellOrder(lattice, count);
    const sorted = new Float32Array(2 * count);
    order.sort(positions, new Uint32Array(positions.buffer), count, new Uint32Array(sorted.buffer));
    const search = new PairSearch(order, 1, count);
    search.begin(sorted, order.source);
    // Each way to continue sets it once.
    const stops: number[] = [];
    Object.defineProperty(search.task, 'next', {
      get: () => stops.at(-1) ?? 0,
      set: (next: number) => stops.push(next),
    });
    PLANE.collect(search.task, 0x7fff_ffff, count);
    const upTo = (row: number) =>
      Array.from({ length: count }, (_, id) => positions[2 * id + 1] as number).filter((y) => y < row).length;
    // Row 9 searches row 10, and only the first tenth of row 11 is too far from row 12.
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

  it('count as sparse only if fewer than a quarter of the samples have a neighbour', () => {
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
    // No slot follows the last ones.
    expect(isSparse(keysWith(1, 17), 17, 0)).toBe(false);
    expect(isSparse(keysWith(1, 17), 17, 16)).toBe(true);
    expect(isSparse(keysWith(16, slots), 1, 0)).toBe(false);
  });

  it('are found if discs are sparse, dense and sparse again', () => {
    const width = 48;
    const band = fc.record({
      // On both sides of the threshold for sparse.
      cellsEach: fc.constantFrom(0.1, 0.5, 2, 8, 10, 40),
      discs: fc.integer({ min: 1, max: 1500 }),
      // Discs at coarse coordinates often touch or coincide.
      units: fc.constantFrom(2, 64),
    });
    fc.assert(
      fc.property(
        fc.array(band, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 2 ** 31 }),
        (bands, seed) => {
          let word = seed;
          const below = (limit: number, units: number) => {
            word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
            return Math.floor(((word >>> 8) / 2 ** 24) * limit * units) / units;
          };
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
        },
      ),
      { numRuns: atGate(25) },
    );
  });

  it('are the same if the visitor searches another grid', () => {
    const options = { dimensions: 2, min: [0, 0], max: [1500, 20], diameter: 1, capacity: count } as const;
    const [grid, other] = [createCpuGrid(options), createCpuGrid({ ...options, periodic: [true, true] })];
    // Several portions, each of which ends inside a row.
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

describe('a grid with a large capacity', () => {
  it('loops over rows and columns only if it holds few particles', () => {
    const min = [0, 0];
    const roomy = createCpuGrid({ dimensions: 2, min, max: [500, 500], diameter: 1, capacity: 200_000 });
    const clear = vi.spyOn(Object.getPrototypeOf(Uint32Array.prototype) as Uint32Array, 'fill');
    try {
      roomy.build(Float32Array.of(1, 1, 1.5, 1, 400, 400));
      const cleared = clear.mock.calls.map(([, begin = 0, end], call) => {
        const { length } = clear.mock.contexts[call] as Uint32Array;
        return (end ?? length) - begin;
      });
      expect(cleared.length).toBeGreaterThan(0);
      expect(cleared.reduce((sum, entries) => sum + entries, 0)).toBeLessThan(2000);
    } finally {
      clear.mockRestore();
    }
    expect(roomy.countPairs()).toBe(1);
  });
});

describe('methods with a visitor', () => {
  it('reject a visitor that is not a function at once, even without particles', () => {
    const box = { dimensions: 2, min: [0, 0], max: [8, 8], capacity: 4 } as const;
    const equal = createCpuGrid({ ...box, diameter: 1 });
    const mixed = createCpuGrid({ ...box, radii: { smallest: 0.1, largest: 1 } });
    const boxes = createCpuBoxPairs({ dimensions: 2 });
    const positions = Float32Array.of(1, 1, 1.5, 1);
    for (const isEmpty of [true, false]) {
      if (!isEmpty) {
        equal.build(positions);
        mixed.build(positions, Float32Array.of(0.5, 0.5));
        boxes.build(Float32Array.of(0, 0, 2, 2, 1, 1, 3, 3));
      }
      for (const visit of [undefined, null, 'visit', {}] as unknown as (() => void)[]) {
        const calls = [
          ...[equal, mixed].flatMap((grid) => [
            () => grid.near([1, 1], 1, visit),
            () => grid.inBox([0, 0], [2, 2], visit),
            () => grid.alongRay([0, 1], [1, 0], 5, visit),
            () => grid.forEachPair(visit),
          ]),
          () => boxes.forEachPair(visit),
        ];
        for (const call of calls) {
          expect(call).toThrow(ArgumentError);
          expect(call).toThrow(/^visit is (undefined|null|"visit"|an object), but it must be a function\.$/);
        }
      }
    }
    expect([equal.countPairs(), mixed.countPairs(), boxes.countPairs()]).toEqual([1, 1, 1]);
  });
});

describe('pairs without enough memory', () => {
  const count = 700;
  const all = (count * (count - 1)) / 2;
  const bounds = { dimensions: 2, min: [0, 0], max: [4, 4] } as const;
  const positions = new Float32Array(2 * count).fill(1.5);
  const equal = createCpuGrid({ ...bounds, diameter: 1, capacity: count });
  const mixed = createCpuGrid({ ...bounds, radii: { smallest: 0.25, largest: 1 }, capacity: count });
  equal.build(positions);
  mixed.build(positions, new Float32Array(count).fill(0.5));
  const boxes = createCpuBoxPairs({ dimensions: 2 });
  const alike = Float32Array.from({ length: 4 * count }, (_, word) => (word % 4 < 2 ? 1 : 2));
  boxes.build(alike);
  const index = createCpuIndex({ ...bounds, radius: 0.5, capacity: count });
  for (let id = 0; id < count; id++) index.add([1.5, 1.5]);
  const simulation = createCpuSimulation({ ...bounds, radius: 0.5, positions });
  const sentence = (instead: string) =>
    new RegExp(
      `^[1-9]\\d* pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: ${instead}\\.$`,
    );
  const ofGrid = sentence('use forEachPair or countPairs of a grid, which need no list');

  it.each([
    ['a CpuGrid', equal, ofGrid],
    ['a CpuLevelGrid', mixed, ofGrid],
    ['a CpuIndex', index, sentence('use forEachPair, which needs no list')],
    ['a CpuSimulation', simulation, ofGrid],
    [
      'a CpuBoxPairs',
      boxes,
      sentence('use forEachPair or countPairs, which need memory for only one row of boxes at a time'),
    ],
  ] as const)('are rejected with an error message by %s, which does not change', (_, engine, message) => {
    withLittleMemory(2 ** 17, () => {
      expect(() => engine.findPairs()).toThrow(LimitError);
      expect(() => engine.findPairs()).toThrow(message);
    });
    if ('forEachPair' in engine) {
      let visits = 0;
      let sum = 0;
      engine.forEachPair((first, second) => {
        visits++;
        sum += second - first;
      });
      expect([visits, sum]).toEqual([all, ((count + 1) * all) / 3]);
    }
    expect(engine.findPairs().pairs.length).toBe(2 * all);
  });

  it('are rejected if one row of boxes has too many, and the boxes do not change', () => {
    const row = createCpuBoxPairs({ dimensions: 2 });
    row.build(alike);
    withLittleMemory(2 ** 17, () => {
      const message =
        /^65536 pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: these pairs are all of one row, /;
      for (const visit of [() => row.forEachPair(() => {}), () => row.countPairs()]) {
        expect(visit).toThrow(LimitError);
        expect(visit).toThrow(message);
      }
    });
    expect(row.countPairs()).toBe(all);
  });

  it('are rejected by a simulation without memory for the first pairs', () => {
    const halfExtents = new Float32Array(2 * count).fill(0.25);
    const shapes = createCpuSimulation({ ...bounds, halfExtents, positions });
    for (const engine of [simulation, shapes]) {
      withLittleMemory(2 * count, () => {
        expect(() => engine.findPairs()).toThrow(LimitError);
        expect(() => engine.findPairs()).toThrow(/^0 pairs were found so far, /);
      });
      withLittleMemory(2 ** 17, () => {
        expect(() => engine.findPairs()).toThrow(/^[1-9]\d* pairs were found so far, /);
      });
      expect(engine.findPairs().count).toBe(all);
    }
  });

  it('are rejected by a grid without memory for the first pairs, which does not change', () => {
    const grid = createCpuGrid({ ...bounds, diameter: 1, capacity: count });
    grid.build(positions);
    const bytes = grid.memoryBytes;
    withLittleMemory(256, () => {
      expect(() => grid.collectPairs()).toThrow(/^0 pairs were found so far, /);
    });
    expect(grid.memoryBytes).toBe(bytes);
    let isAscending = true;
    grid.forEachPair((first, second) => {
      isAscending &&= first < second;
    });
    expect([isAscending, grid.countPairs(), grid.findPairs().count]).toEqual([true, all, all]);
  });

  it('are counted and visited with little memory', () => {
    withLittleMemory(2 ** 17, () => {
      for (const engine of [equal, mixed, index]) {
        let visits = 0;
        engine.forEachPair(() => visits++);
        expect(visits).toBe(all);
      }
      expect([equal.countPairs(), mixed.countPairs()]).toEqual([all, all]);
    });
  });

  it('are counted in the error if there is no memory for a sorted copy', () => {
    const words = Uint32Array.of(4, 5, 0, 1, 0, 2);
    withLittleMemory(5, () => {
      expect(() => sortPairs(words, 6, 3)).toThrow(/^3 pairs were found so far, /);
    });
    expect([...sortPairs(words, 6, 6)]).toEqual([0, 1, 0, 2, 4, 5]);
  });

  it('need memory for ids, or searches are rejected', () => {
    const crowd = createCpuIndex({ ...bounds, radius: 0.5, capacity: count });
    for (let id = 0; id < count; id++) crowd.add([1.5, 1.5]);
    withLittleMemory(256, () => {
      const message = /^256 objects were found so far, .*: choose a smaller radius or box\.$/;
      expect(() => crowd.findNear([1, 1], 2)).toThrow(message);
      expect(() => crowd.overlapping(0, () => {})).toThrow(message);
      expect(() => crowd.inBox([1, 1], [2, 2], () => {})).toThrow(LimitError);
    });
    expect(crowd.findNear([1, 1], 2)).toHaveLength(count);
    crowd.remove(0);
  });
});

describe('lattice', () => {
  it('names the lattice that cannot be allocated', () => {
    const { cells } = defineWorld({ dimensions: 2, min: [0, 0], max: [5, 3] }, 1);
    // A real allocation would first take all the memory of the machine.
    const tooLong = () => new Float32Array(2 ** 53);
    expect(() => reserve(7, tooLong, cells)).toThrow(LimitError);
    expect(() => reserve(7, tooLong, cells)).toThrow(/^7 particles in 7 × 5 cells take more memory/);
    expect(reserve(7, () => 'made')).toBe('made');
    const otherwise = () => {
      throw new ArgumentError('radius', 0, 'more');
    };
    expect(() => reserve(7, otherwise)).toThrow(ArgumentError);
  });
});

describe('exact overlap', () => {
  it('agrees with exact arithmetic next to the diameter', () => {
    const single = fc.float({ min: -4, max: 4, noNaN: true });
    // Points one diameter away in a random direction are as near to a tie as rounding allows.
    fc.assert(
      fc.property(
        single,
        single,
        single,
        fc.double({ min: 0, max: 7, noNaN: true }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        single,
        (x, y, z, angle, tilt, size) => {
          const diameter = Math.fround(Math.abs(size) + 0.1);
          const flat = [x + diameter * Math.cos(angle), y + diameter * Math.sin(angle)].map(Math.fround);
          const [flatX, flatY] = flat as [number, number];
          expect(overlapsInPlane(x, y, flatX, flatY, diameter)).toBe(exactOverlap([x, y], flat, diameter));
          const solid = [
            x + diameter * Math.cos(angle) * Math.sin(tilt),
            y + diameter * Math.sin(angle) * Math.sin(tilt),
            z + diameter * Math.cos(tilt),
          ].map(Math.fround);
          const [solidX, solidY, solidZ] = solid as [number, number, number];
          expect(overlapsInSpace(x, y, z, solidX, solidY, solidZ, diameter)).toBe(
            exactOverlap([x, y, z], solid, diameter),
          );
        },
      ),
      { numRuns: atGate(2000) },
    );
  });

  it('decides ties, and differences below the precision of doubles', () => {
    expect(overlapsInPlane(0, 0, 1, 0, 1)).toBe(false);
    expect(overlapsInPlane(0, 0, 3, 4, 5)).toBe(false);
    expect(overlapsInPlane(2 ** -60, 0, 1, 0, 1)).toBe(true);
    expect(overlapsInPlane(-(2 ** -60), 0, 1, 0, 1)).toBe(false);
    expect(overlapsInPlane(1, 2 ** -70, 0, 0, 1)).toBe(false);
    expect(overlapsInPlane(0, 0, 0.5, 0, 0.5 + 2 ** -50)).toBe(true);
    expect(overlapsInSpace(1, 2 ** -70, 2 ** -70, 0, 0, 0, 1)).toBe(false);
    expect(overlapsInSpace(1, 0, 2 ** -70, 2 ** -60, 0, 0, 1)).toBe(true);
    expect(overlapsInSpace(0, 0, 0, 2, 3, 6, 7)).toBe(false);
  });
});
