import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { bucketOfLattice } from '../../../../src/core/world/cells';
import type { WorldOptions } from '../../../../src/core/world/world';
import { type CpuGrid, createCpuGrid } from '../../../../src/cpu';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { comparePairs } from '../../../../src/reference/query/pair-list';
import { sweepPairs } from '../../../../src/reference/query/sweep';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { Random } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { expectPairs, oracle } from '../../../helpers/exact-pairs';
import { optionsOf, stored, type UnusualCrowd, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';

import { expectSeen, fc, runs } from '../../../helpers/properties';

type Dimensions = 2 | 3;

function exactPairs(crowd: UnusualCrowd, diameter: number): number[] {
  const { dimensions, period } = crowd.world;
  return oracle(stored(crowd), dimensions, diameter, period);
}

function gridOf({ world, positions }: UnusualCrowd, capacity: number, diameter = world.diameter): CpuGrid {
  const grid = createCpuGrid({ ...optionsOf(world), diameter, capacity });
  expect(grid.world).toEqual(world);
  grid.build(positions);
  return grid;
}

const arbitraryCrowd = (kind: string, dimensions: Dimensions, most: number) =>
  (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, most);

const KINDS = Object.keys(unusualCrowds);

describe.each([2, 3] as const)('CpuGrid in %dD', (dimensions) => {
  const tags = dimensions === 3 ? 'case' : [];

  describe.each(KINDS)('in a world that is %s', (kind) => {
    it('finds the same pairs as exact brute force, at any positions', () => {
      let pairs = 0;
      fc.assert(
        fc.property(arbitraryCrowd(kind, dimensions, 60), (crowd) => {
          const grid = gridOf(crowd, 60);
          const expected = exactPairs(crowd, grid.diameter);
          expectPairs(grid, expected);
          pairs += expected.length / 2;
        }),
        runs(100),
      );
      expectSeen(pairs, 1000);
    });

    it('puts particles into the order and the cells of the reference', () => {
      fc.assert(
        fc.property(arbitraryCrowd(kind, dimensions, 60), fc.boolean(), (crowd, broken) => {
          const { world, positions } = crowd;
          if (broken && positions.length > 3 * dimensions) positions[2 * dimensions + 1] = Number.NaN;
          const grid = gridOf(crowd, 60);
          const plain = buildGrid(world, positions);
          expect([...grid.ids()]).toEqual([...plain.ids]);
          const activeCount = plain.start[world.cellCount] as number;
          expect([...grid.cells()]).toEqual([...plain.cells.subarray(0, activeCount)]);
          expect(grid.nonFinite).toBe(plain.ids.length - activeCount);
        }),
        runs(70),
      );
    });

    it('finds the same pairs in any order of input, even if they come in several portions', { tags }, () => {
      const random = new Random(3);
      const capacity = 6000;
      const options: WorldOptions =
        kind === 'periodic'
          ? {
              dimensions,
              min: repeat(-3, dimensions),
              max: repeat(dimensions === 2 ? 17 : 5, dimensions),
              periodic: true,
            }
          : { dimensions, unbounded: true };
      const grid = createCpuGrid({ ...options, diameter: 1, capacity });
      const high = dimensions === 2 ? 17 : 5;
      const positions = Float32Array.from({ length: dimensions * capacity }, () => random.between(-3, high));
      grid.build(positions);
      const order = grid.ids();
      const pairsOf = (sources: Uint32Array) => {
        const moved = new Float32Array(positions.length);
        sources.forEach((source, index) => {
          moved.set(positions.subarray(dimensions * source, dimensions * (source + 1)), dimensions * index);
        });
        grid.build(moved);
        const named: number[] = [];
        grid.forEachPair((first, second) => {
          const [a, b] = [sources[first] as number, sources[second] as number];
          named.push(Math.min(a, b) * capacity + Math.max(a, b));
        });
        return Uint32Array.from(named).sort();
      };
      const expected = pairsOf(Uint32Array.from({ length: capacity }, (_, index) => index));
      expect(2 * expected.length).toBeGreaterThan(40_000);
      // Compare as bytes, since comparing elements would take seconds.
      for (const sources of [order, order.slice().reverse()]) {
        expect(Buffer.from(pairsOf(sources).buffer).equals(Buffer.from(expected.buffer))).toBe(true);
      }
      expect([...grid.findPairs().pairs.subarray(0, 2)]).toHaveLength(2);
      const plain = sweepPairs(dimensions, positions, 1, undefined, grid.world.period);
      grid.build(positions);
      const { missing, extra } = comparePairs(grid.findPairs(), plain);
      expect([missing.count, extra.count]).toEqual([0, 0]);
    });

    it('finds the particles near a point', () => {
      fc.assert(
        fc.property(
          arbitraryCrowd(kind, dimensions, 60),
          fc.array(fc.double({ min: -1, max: 2, noNaN: true }), {
            minLength: dimensions,
            maxLength: dimensions,
          }),
          fc.integer({ min: 0, max: 59 }),
          fc.oneof(
            fc.double({ min: 0.01, max: 1, noNaN: true }),
            fc.double({ min: 0.01, max: 60, noNaN: true }),
          ),
          (crowd, offset, index, size) => {
            const { world, positions } = crowd;
            const grid = gridOf(crowd, 60);
            const storedPositions = stored(crowd);
            const half = Math.min(...world.period.map((period) => period || 1e36)) / 2;
            const radius = Math.min(half, size * world.diameter);
            const middle = dimensions * (index % Math.max(1, positions.length / dimensions));
            const point = offset.map((share, axis) => {
              const length = world.period[axis] || 2 * world.diameter;
              return (
                (storedPositions[middle + axis] ?? 0) +
                Math.round(share) * length +
                (share % 1) * world.diameter
              );
            });
            if (!point.every((value) => Number.isFinite(Math.fround(value)))) return;
            const found: number[] = [];
            grid.near(point, radius, (id, distanceSquared) => {
              expect(distanceSquared).toBeLessThanOrEqual(radius * radius);
              found.push(id);
            });
            const rank = new Map([...grid.ids()].map((id, slot) => [id, slot]));
            const ranks = found.map((id) => rank.get(id) as number);
            ranks.forEach((slot, index) => {
              expect(index === 0 || slot > (ranks[index - 1] as number)).toBe(true);
            });
            const present = new Set(found);
            for (let id = 0; id < storedPositions.length / dimensions; id++) {
              const distance = Math.hypot(
                ...point.map((value, axis) =>
                  minimumImageInDoubles(
                    (storedPositions[dimensions * id + axis] as number) - value,
                    world.period[axis] as number,
                  ),
                ),
              );
              const noise = 1e-12 * Math.max(...point.map(Math.abs), world.diameter);
              if (Math.abs(distance - radius) > noise) expect(present.has(id)).toBe(distance < radius);
            }
          },
        ),
        runs(100),
      );
    });
  });

  it.each([
    { periodic: true, edge: 3 },
    { periodic: true, edge: 3.9375 },
    { periodic: true, edge: 4 },
    { periodic: true, edge: 5.5 },
    { periodic: [true, false, false], edge: 3.5 },
    { periodic: [false, true, false], edge: 3.5 },
    { periodic: [false, true, true], edge: 3 },
    { periodic: [false, false, true], edge: 4.25 },
  ])(
    'finds all pairs if the world is $edge cells long along each axis, with periodic: $periodic',
    { tags },
    ({ periodic, edge }) => {
      const along = Array.isArray(periodic) ? periodic.slice(0, dimensions) : periodic;
      const options = {
        dimensions,
        min: repeat(0, dimensions),
        max: repeat(edge, dimensions),
        periodic: along,
      };
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: 80 });
      // These coordinates make exact ties and cell borders common.
      const coordinate = fc.oneof(
        fc.integer({ min: -8, max: 16 }).map((half) => half / 2),
        fc.integer({ min: -16, max: 16 }).map((step) => edge + step / 16),
        fc.integer({ min: 0, max: 5000 }).map((unit) => unit / 1024),
      );
      const vectors = fc.array(fc.array(coordinate, { minLength: dimensions, maxLength: dimensions }), {
        maxLength: 80,
        size: 'max',
      });
      fc.assert(
        fc.property(vectors, (list) => {
          const positions = Float32Array.from(
            list.flat().map((value) => Math.max(-edge, Math.min(value, 2 * edge - 2 ** -10))),
          );
          grid.build(positions);
          expectPairs(grid, exactPairs({ world: grid.world, positions }, 1));
        }),
        runs(20),
      );
    },
  );

  it('decides ties across the ends like exact arithmetic', () => {
    // The two particles are about one diameter apart across the end, at arbitrary 32-bit coordinates.
    const single = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.float({ min: Math.fround(0.05), max: 3, noNaN: true }),
        fc.double({ min: 3.5, max: 9, noNaN: true }),
        fc.float({ min: -30, max: 30, noNaN: true }),
        fc.array(single, { minLength: dimensions, maxLength: dimensions }),
        fc.double({ min: 0, max: 7, noNaN: true }),
        fc.integer({ min: -3, max: 3 }),
        (diameter, cells, start, offset, angle, ulps) => {
          const low = Math.abs(start) < 2 ** -60 ? 0 : Math.fround(start);
          const grid = createCpuGrid({
            dimensions,
            min: repeat(low, dimensions),
            max: repeat(low + cells * diameter, dimensions),
            periodic: true,
            diameter,
            capacity: 2,
          });
          const { world } = grid;
          const a = offset.map((value) => Math.fround(low + 0.3 * value * diameter));
          const turn = [Math.cos(angle), Math.sin(angle), 0];
          const b = a.map((value, axis) =>
            Math.fround(value - diameter * Math.abs(turn[axis] as number) * (1 + ulps * 2 ** -24)),
          );
          const positions = Float32Array.from([...a, ...b]);
          grid.build(positions);
          expectPairs(grid, exactPairs({ world, positions }, diameter));
        },
      ),
      runs(300),
    );
  });

  it('finds particles at any distance without more memory', () => {
    const capacity = 400;
    const random = new Random(5);
    const near = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity });
    const bytes = near.memoryBytes;
    const centres = [0, 1e6, -1e6, 8e6, 1e30, -3e38];
    const positions = Float32Array.from({ length: dimensions * capacity }, (_, index) => {
      const centre = centres[Math.floor(index / dimensions) % centres.length] as number;
      return centre + random.between(-3, 3);
    });
    near.build(positions);
    const crowd = { world: near.world, positions };
    expectPairs(near, exactPairs(crowd, 1));
    expect(near.memoryBytes - 4 * near.collectPairs().pairs.length).toBe(bytes);
    let found = 0;
    near.near(repeat(0, dimensions), 3e38, () => found++);
    expect(found).toBe(capacity - Math.floor(capacity / centres.length));
  });

  it('finds each pair once if neighbouring cells share a bucket', () => {
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity: 64 });
    const { world } = grid;
    // Each of these cells shares a bucket of the smallest table with the cell above it.
    const shared: number[][] = [];
    for (let y = 0; y < 400 && shared.length < 5; y++) {
      const cell = [31, y, 7].slice(0, dimensions);
      const above = cell.with(1, y + 1);
      if (bucketOfLattice(world, cell) === bucketOfLattice(world, above)) shared.push(cell);
    }
    expect(shared).toHaveLength(5);
    for (const cell of shared) {
      const particles: number[][] = [];
      for (let index = 0; index < 32; index++) {
        const [x, y, z] = [index & 3, (index >> 2) & 3, index >> 4];
        particles.push(
          cell.map((value, axis) => value + 0.25 + 0.5 * ([x, y, z][axis] as number) - Number(axis === 0)),
        );
      }
      const positions = Float32Array.from(particles.flat());
      grid.build(positions);
      const expected = exactPairs({ world, positions }, 1);
      expect(expected.length).toBeGreaterThan(64);
      expectPairs(grid, expected);
    }
  });

  it('chooses cells wide enough for a diameter that does not fit a 32-bit float', () => {
    const diameter = 1 + 2 ** -30;
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter, capacity: 2 });
    const positions = new Float32Array(2 * dimensions);
    positions[0] = -(2 ** -40);
    positions[dimensions] = 1;
    grid.build(positions);
    expectPairs(grid, [0, 1]);
    expect(grid.world.cellSize).toBe(2);
  });

  it('rejects a radius above half a period', () => {
    const max = [9, 5, 4].slice(0, dimensions);
    const options = { dimensions, min: max.map(() => 0), max, diameter: 1, capacity: 1 };
    const grid = createCpuGrid({ ...options, periodic: true });
    const half = dimensions === 2 ? 2.5 : 2;
    grid.build(new Float32Array(dimensions).fill(1));
    let found = 0;
    grid.near(
      max.map(() => 1),
      half,
      () => found++,
    );
    expect(found).toBe(1);
    const wide = () =>
      grid.near(
        max.map(() => 1),
        half + 0.1,
        () => {},
      );
    expect(wide).toThrow(ArgumentError);
    expect(wide).toThrow(
      `radius is ${half + 0.1}, but it must be at most ${half}, half the shortest period.`,
    );
    // Axes that are not periodic do not limit the radius.
    const partly = createCpuGrid({ ...options, periodic: max.map((_, axis) => axis === 0) });
    partly.build(new Float32Array(dimensions).fill(1));
    partly.near(
      max.map(() => 1),
      4.5,
      () => found++,
    );
    expect(found).toBe(2);
  });
});
