import { describe, expect, it } from 'vitest';
import { RETIRED_BIT } from '../../../../src/core/base/constants';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { cellOfParticle, quarantineCell, retiredCell, startLength } from '../../../../src/core/world/cells';
import { defineWorld, type World } from '../../../../src/core/world/world';
import { countParticles } from '../../../../src/reference/grid/count';
import { gatherParticles, permute } from '../../../../src/reference/grid/gather';
import { buildGrid, type Grid, NO_SLOT } from '../../../../src/reference/grid/grid';
import { exclusiveScan } from '../../../../src/reference/grid/scan';
import { scatterParticles } from '../../../../src/reference/grid/scatter';
import { type ProbedGrid, probeCells } from '../../../../src/reference/query/probe';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { fc } from '../../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../../helpers/scene-names';

// With the ring, a row has 5 cells, and the first cell inside the ring is 6.
const FLAT = defineWorld({ dimensions: 2, min: [0, 0], max: [3, 2], cellSize: 1 }, 1);

// These six particles are in the cells 12, 6, 13, 12, none (the x is NaN), and 6 (the x is clamped).
const POSITIONS = new Float32Array([1.5, 1.5, 0.2, 0.9, 2, 1, 1.25, 1.75, Number.NaN, 1, -7, 0]);

/** Particles inside and outside the world, on borders of cells, or not finite, with ids in any order. */
const arbitrary = fc
  .record({
    dimensions: fc.constantFrom<2 | 3>(2, 3),
    origin: fc.constantFrom(0, -2, 0.1, -1.7),
    size: fc.constantFrom(1, 0.3, 2),
    coordinates: fc.array(
      fc.oneof(
        { weight: 12, arbitrary: fc.double({ min: -3, max: 6, noNaN: true }) },
        { weight: 6, arbitrary: fc.integer({ min: -6, max: 12 }).map((half) => half / 2) },
        { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Infinity, -Infinity, 1e-40, -1e-40, 3e38) },
      ),
      { maxLength: 90 },
    ),
    seed: fc.nat(),
  })
  .map(({ dimensions, origin, size, coordinates, seed }) => {
    const world = defineWorld(
      {
        dimensions,
        min: new Array<number>(dimensions).fill(origin),
        max: new Array<number>(dimensions).fill(origin + 5),
        cellSize: size,
      },
      size,
    );
    const count = Math.floor(coordinates.length / dimensions);
    const positions = Float32Array.from(coordinates.slice(0, count * dimensions));
    const velocities = positions.map((_, index) => index);
    const ids = Uint32Array.from({ length: count }, (_, index) => (index * 7919 + seed) % 100_003);
    return { world, count, positions, velocities, ids };
  });

describe('countParticles', () => {
  it('counts particles per cell, quarantines non-finite ones, and ranks the particles of each cell in order', () => {
    const { counts, cells, ranks } = countParticles(FLAT, POSITIONS, 6);
    expect([...cells]).toEqual([12, 6, 13, 12, 20, 6]);
    const occupied = [...counts].flatMap((occupancy, cell) => (occupancy > 0 ? [[cell, occupancy]] : []));
    expect(occupied).toEqual([
      [6, 2],
      [12, 2],
      [13, 1],
      [20, 1],
    ]);
    expect([...ranks]).toEqual([0, 0, 0, 1, 0, 1]);
  });

  it('counts a particle in the retired cell if its id is marked as retired', () => {
    const { cells } = countParticles(
      FLAT,
      new Float32Array([Number.NaN, 0, Number.NaN, 0]),
      2,
      new Uint32Array([1, (2 | RETIRED_BIT) >>> 0]),
    );
    expect([...cells]).toEqual([quarantineCell(FLAT), retiredCell(FLAT)]);
  });

  it('counts nothing without particles', () => {
    expect(countParticles(FLAT, new Float32Array(0), 0).counts).toEqual(new Uint32Array(startLength(FLAT)));
  });
});

describe('exclusiveScan', () => {
  it.each([
    [[], []],
    [[5], [0]],
    [
      [3, 0, 2, 1],
      [0, 3, 3, 5],
    ],
    [
      [2 ** 32 - 1, 3, 1],
      [0, 2 ** 32 - 1, 2],
    ],
  ])('turns %j into %j', (counts, starts) => {
    expect([...exclusiveScan(Uint32Array.from(counts))]).toEqual(starts);
  });
});

describe('scatter and gather', () => {
  it('group particles by cell, then sort them by id', () => {
    const ids = new Uint32Array([50, 10, 20, 30, 40, 5]);
    const counts = countParticles(FLAT, POSITIONS, 6, ids);
    const start = exclusiveScan(counts.counts);
    expect([6, 7, 12, 13, 14, 20, 21, 22].map((cell) => start[cell])).toEqual([0, 2, 2, 4, 5, 5, 6, 6]);
    const entries = scatterParticles(start, counts, ids);
    expect([...entries.sources]).toEqual([1, 5, 0, 3, 2, 4]);
    expect([...entries.ids]).toEqual([10, 5, 50, 30, 20, 40]);
    const sorted = gatherParticles(FLAT, start, entries, POSITIONS, POSITIONS);
    expect([...sorted.ids]).toEqual([5, 10, 30, 50, 20, 40]);
    expect([...sorted.cells]).toEqual([6, 6, 12, 12, 13, 20]);
    expect([...sorted.positions.slice(0, 4)]).toEqual([-7, 0, ...POSITIONS.slice(2, 4)]);
  });

  it('copy bits, so a NaN keeps its payload', () => {
    const words = new Uint32Array([0x7fc1_2345, 0x3f80_0000, 0xffc0_0001, 0x8000_0000]);
    const moved = permute(2, new Float32Array(words.buffer), new Uint32Array([1, 0]));
    expect([...new Uint32Array(moved.buffer)]).toEqual([0xffc0_0001, 0x8000_0000, 0x7fc1_2345, 0x3f80_0000]);
  });
});

describe('buildGrid', () => {
  it('holds every particle once, in canonical order, under its own cell', () => {
    fc.assert(
      fc.property(arbitrary, ({ world, count, positions, velocities, ids }) => {
        const grid = buildGrid(world, positions, velocities, ids);
        expect(grid.start.length).toBe(startLength(world));
        expect(grid.start[startLength(world) - 1]).toBe(count);
        expect([...grid.ids].sort((a, b) => a - b)).toEqual([...ids].sort((a, b) => a - b));
        for (let slot = 0; slot < count; slot++) {
          const cell = grid.cells[slot] as number;
          expect(slot).toBeGreaterThanOrEqual(grid.start[cell] as number);
          expect(slot).toBeLessThan(grid.start[cell + 1] as number);
          if (slot > 0 && grid.cells[slot - 1] === cell) {
            expect(grid.ids[slot]).toBeGreaterThan(grid.ids[slot - 1] as number);
          }
          const source = ids.indexOf(grid.ids[slot] as number);
          const vector = (array: Float32Array, index: number) => [
            ...array.slice(index * world.dimensions, (index + 1) * world.dimensions),
          ];
          expect(vector(grid.positions, slot)).toEqual(vector(positions, source));
          expect(vector(grid.velocities, slot)).toEqual(vector(velocities, source));
          const isHere = vector(positions, source).every(Number.isFinite);
          expect(cell).toBe(isHere ? cellOfParticle(world, positions, source) : quarantineCell(world));
          expect(grid.slots[grid.ids[slot] as number]).toBe(slot);
        }
        expect(grid.slots.filter((slot) => slot !== NO_SLOT).length).toBe(count);
      }),
    );
  });

  it('does not depend on the order of the input', () => {
    fc.assert(
      fc.property(arbitrary, ({ world, count, positions, velocities, ids }) => {
        const backwards = Uint32Array.from({ length: count }, (_, index) => count - 1 - index);
        const { dimensions } = world;
        const grid = buildGrid(world, positions, velocities, ids);
        const other = buildGrid(
          world,
          permute(dimensions, positions, backwards),
          permute(dimensions, velocities, backwards),
          ids.slice().reverse(),
        );
        const words = (arrays: Grid) =>
          Object.entries(arrays).map(([name, array]) => [
            name,
            ArrayBuffer.isView(array) && Buffer.from(array.buffer).toString('hex'),
          ]);
        expect(words(grid)).toEqual(words(other));
      }),
    );
  });

  it('lists no slot for ids that are marked as retired', () => {
    const grid = buildGrid(
      FLAT,
      new Float32Array([0.5, 0.5, Number.NaN, 0]),
      undefined,
      new Uint32Array([3, (1 | RETIRED_BIT) >>> 0]),
    );
    expect([...grid.slots]).toEqual([NO_SLOT, NO_SLOT, NO_SLOT, 0]);
    expect([...grid.velocities]).toEqual([0, 0, 0, 0]);
  });

  it.each(EQUAL_RADIUS_SCENES)('sorts the scene %s', (name) => {
    for (const dimensions of [2, 3] as const) {
      const { world, positions } = planSimulation(
        sceneOptions(createScene(name, { dimensions, count: 3000 })),
      );
      const grid = buildGrid(world, positions);
      for (let slot = 1; slot < 3000; slot++) {
        const [a, b] = [grid.cells[slot - 1] as number, grid.cells[slot] as number];
        expect(a < b || (a === b && (grid.ids[slot - 1] as number) < (grid.ids[slot] as number))).toBe(true);
      }
    }
  });
});

describe('probeCells', () => {
  const neighboursOf = (world: World, grid: ProbedGrid, slot: number) => {
    const found: number[] = [];
    probeCells(world, grid, slot, (other) => found.push(other));
    return found;
  };

  it('visits all other particles in adjacent cells in ascending order, and no quarantined ones', () => {
    fc.assert(
      fc.property(arbitrary, ({ world, count, positions, velocities, ids }) => {
        const grid = buildGrid(world, positions, velocities, ids);
        const coordinates = (slot: number) => {
          const lattice: number[] = [];
          let rest = grid.cells[slot] as number;
          for (const cells of world.cells) {
            lattice.push(rest % cells);
            rest = Math.floor(rest / cells);
          }
          return lattice;
        };
        for (let slot = 0; slot < count; slot++) {
          const cell = grid.cells[slot] as number;
          const expected: number[] = [];
          for (let other = 0; other < (grid.start[world.cellCount] as number); other++) {
            if (other === slot || cell >= world.cellCount) continue;
            const [here, there] = [coordinates(slot), coordinates(other)];
            if (here.every((along, axis) => Math.abs(along - (there[axis] as number)) <= 1))
              expected.push(other);
          }
          expect(neighboursOf(world, grid, slot)).toEqual(expected);
        }
      }),
    );
  });
});
