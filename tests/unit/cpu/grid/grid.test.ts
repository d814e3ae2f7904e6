import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { cellOfParticle, latticeOfParticle } from '../../../../src/core/world/cells';
import { type CpuGridOptions, createCpuGrid, createCpuLevelGrid } from '../../../../src/cpu';
import { createScene, worldOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { createNoise } from '../../../../src/testing/noise';
import { expectPairs, oracle, sortedPairs, vectorAt } from '../../../helpers/exact-pairs';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { fc, runs } from '../../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../../helpers/scene-names';

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
      const next = createNoise(count + 1);
      const positions = Float32Array.from({ length: dimensions * count }, () => -4 + 9 * next());
      grid.build(positions);
      expectPairs(grid, oracle(positions, dimensions, 1));
    },
  );

  it('counts the pairs of particles in the same or adjacent cells as candidates', () => {
    const next = createNoise(5);
    const count = 200;
    const positions = Float32Array.from({ length: dimensions * count }, () => -4 + 9 * next());
    const [low, high] = [repeat(-4, dimensions), repeat(5, dimensions)];
    for (const world of [
      { min: low, max: high },
      { min: low, max: high, periodic: true },
      { unbounded: true },
    ]) {
      const grid = createCpuGrid({ dimensions, ...world, diameter: 1, capacity: count });
      grid.build(positions);
      const { cells } = grid.world;
      const lattices = Array.from({ length: count }, (_, id) => latticeOfParticle(grid.world, positions, id));
      let candidates = 0;
      for (const [id, lattice] of lattices.entries()) {
        for (const other of lattices.slice(0, id)) {
          const isAdjacent = lattice.every((coordinate, axis) => {
            const apart = Math.abs(coordinate - (other[axis] as number));
            return apart <= 1 || ('periodic' in world && apart === (cells[axis] as number) - 1);
          });
          if (isAdjacent) candidates++;
        }
      }
      expect(grid.countCandidates()).toBe(candidates);
      expect(candidates).toBeGreaterThan(grid.countPairs());
    }
  });

  it('refuses every search before the first build, and says what to call', () => {
    const [low, high] = [repeat(0, dimensions), repeat(8, dimensions)];
    const options = { dimensions, min: low, max: high, capacity: 4 };
    const equal = createCpuGrid({ ...options, diameter: 1 });
    const variable = createCpuLevelGrid({ ...options, radii: { smallest: 1, largest: 2 } });
    expect(() => equal.cells()).toThrow(/call build\(positions\)/);
    for (const [grid, call] of [
      [equal, 'build(positions)'],
      [variable, 'build(positions, radii)'],
    ] as const) {
      const message = `This CPU grid has no particles yet: call ${call} before you search.`;
      expect([grid.count, grid.nonFinite]).toEqual([0, 0]);
      for (const search of [
        () => grid.ids(),
        () => grid.countCandidates(),
        () => grid.countPairs(),
        () => grid.collectPairs(),
        () => grid.findPairs(),
        () => grid.forEachPair(() => {}),
        () => grid.near(low, 1, () => {}),
        () => grid.findNear(low, 1),
        () => grid.nearest(low, 1),
        () => grid.inBox(low, high, () => {}),
        () => grid.findInBox(low, high),
        () => grid.alongRay(low, high, 1, () => {}),
        () => grid.findAlongRay(low, high, 1),
      ]) {
        expect(search).toThrow(CellstormError);
        expect(search).toThrow(message);
      }
    }
    equal.build(new Float32Array(0));
    expect([equal.findPairs().count, equal.ids().length]).toEqual([0, 0]);
  });

  it('finds the same pairs as exact brute force, at any positions', () => {
    const grids = [
      box(0, 8, 1, 40),
      box(-3, 3, 1, 40),
      box(-2.5, 6, 0.3, 40),
      box(0.1, 7.7, 1.1, 40, 2.5),
      box(0, 1, 1, 40),
    ];
    const coordinate = fc.oneof(
      // These coordinates make cell borders and exact ties common.
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
      runs(300),
    );
  });

  /**
   * Expects particles in the order of the cells that core/world/cells.ts computes, with ascending ids in each cell.
   * Particles with a coordinate that is not finite must come last.
   */
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

  it('keeps a finite particle even if its scaled coordinate overflows to infinity', () => {
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

  it('finds the same pairs for sorted and for reversed input', () => {
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
    'finds all particles within an infinite radius in a world that is %s',
    (kind) => {
      const count = 200;
      const corner = cornersIn(dimensions);
      const worldOptions =
        kind === 'unbounded'
          ? ({ dimensions, unbounded: true } as const)
          : { dimensions, min: corner(-2), max: corner(6), periodic: kind === 'periodic' };
      const next = createNoise(7);
      const positions = Float32Array.from({ length: dimensions * count }, () => -3 + 10 * next());
      if (kind !== 'periodic') positions.set(corner(-3e38), 0);
      positions[dimensions * 9] = Number.NaN;
      const finite = Uint32Array.from({ length: count }, (_, id) => id).filter((id) => id !== 9);
      const equal = createCpuGrid({ ...worldOptions, diameter: 1, capacity: count });
      equal.build(positions);
      const mixed = createCpuLevelGrid({
        ...worldOptions,
        radii: { smallest: 0.1, largest: 1 },
        capacity: count,
      });
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
          const { ids, distancesSquared } = grid.nearest(point, count);
          ids.forEach((id, index) => {
            expect(distances.get(id)).toBe(distancesSquared[index]);
          });
        }
      }
    },
  );

  it('keeps its own copy of the positions, and can be built from only the first part of an array', () => {
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
    const withRadius = { dimensions: 2, min: [0, 0], max: [8, 8], radius: 0.5, capacity: 1 } as const;
    expect(() => createCpuGrid(withRadius as unknown as CpuGridOptions)).toThrow(
      'options.radius is 0.5, but it must be left out: pass `diameter`, which is twice the radius.',
    );
    const withRadii = { dimensions: 2, unbounded: true, radii: { smallest: 1, largest: 2 }, capacity: 1 };
    expect(() => createCpuGrid(withRadii as unknown as CpuGridOptions)).toThrow(
      'radii is an object, but it must be left out: createCpuLevelGrid takes particles with radii of their own.',
    );
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
