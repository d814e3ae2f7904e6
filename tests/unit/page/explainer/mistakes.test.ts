import { describe, expect, it } from 'vitest';
import { bucketOfLattice, latticeOfParticle } from '../../../../src/core/world/cells';
import type { World } from '../../../../src/core/world/world';
import {
  CROWD_DIAMETER,
  countFound,
  createEndless,
  createTouching,
  fullestCell,
  isRight,
  MOST_CROWDED,
  type Search,
  TABLES,
  timesFound,
  tryCellSize,
  tryCrowd,
  tryRounding,
  tryTable,
} from '../../../../src/page/explainer/mistakes';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { measureState } from '../../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';

const touching = createTouching();
const endless = createEndless();

/** Expects that the search finds every contact from both sides, and looks at every candidate pair twice. */
function expectMended(search: Search, world: World, positions: Float32Array, diameter: number): void {
  const oracle = bruteForcePairs(2, positions, diameter);
  const measures = measureState(world, diameter, buildGrid(world, positions));
  expect(oracle.ambiguous.count).toBe(0);
  expect(search.truth.flat()).toEqual(Array.from(oracle.overlapping.pairs));
  expect(measures.contacts).toBe(oracle.overlapping.count);
  expect(isRight(search)).toBe(true);
  expect(countFound(search)).toBe(2 * measures.contacts);
  expect(search.looks).toBe(2 * measures.candidates);
}

describe('cells of any size', () => {
  const { positions, diameter } = touching;

  it('find all contacts if they are at least a diameter wide; the larger they are, the more pairs are tested', () => {
    let looks = 0;
    for (const diameters of [1, 1.5, 3, 8]) {
      const { search, world, refusal } = tryCellSize(diameters, touching);
      expect(refusal).toBeUndefined();
      expectMended(search, world, positions, diameter);
      expect(search.looks).toBeGreaterThan(looks);
      looks = search.looks;
    }
    const count = positions.length / 2;
    expect(looks).toBe(count * (count - 1));
  });

  it('lose contacts if they are smaller, and are rejected even if they happen to lose none', () => {
    const found = [0.25, 0.5, 0.7, 0.8].map((diameters) => {
      const { search, refusal } = tryCellSize(diameters, touching);
      expect(refusal).toMatch(/^world\.cellSize is .*at least the largest diameter, 0\.6875/);
      expect(isRight(search)).toBe(false);
      return countFound(search);
    });
    expect(found[0]).toBe(0);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    const lucky = tryCellSize(0.95, touching);
    expect(lucky.refusal).toBeDefined();
    expect(isRight(lucky.search)).toBe(true);
  });
});

describe('rounding', () => {
  const { world, positions, diameter } = endless;

  it('down finds all contacts', () => {
    expectMended(tryRounding('floor', endless), world, positions, diameter);
    const lattices = Array.from({ length: positions.length / 2 }, (_, particle) =>
      latticeOfParticle(world, positions, particle),
    );
    // Particles lie in all four quadrants.
    const quarters = lattices.map((lattice) => lattice.map((coordinate) => coordinate < 0).join());
    expect(new Set(quarters).size).toBe(4);
  });

  it('towards zero loses no contact, but makes the cells at the origin fuller', () => {
    const [floor, truncate] = [tryRounding('floor', endless), tryRounding('truncate', endless)];
    expect(isRight(truncate)).toBe(true);
    expect(truncate.looks).toBeGreaterThan(1.5 * floor.looks);
    expect(fullestCell('truncate', endless)).toBeGreaterThan(fullestCell('floor', endless));
  });

  it('towards zero when sorting, but down when searching, finds some contacts only once', () => {
    const search = tryRounding('both', endless);
    const times = search.truth.map((pair) => timesFound(search, pair));
    expect(times).toContain(1);
    expect(countFound(search)).toBeLessThan(2 * search.truth.length);
  });
});

describe('a table of buckets', () => {
  it('counts contacts too often if two of nine cells share a bucket', () => {
    const { search, cells, world } = tryTable(TABLES[0], false, endless);
    expect(isRight(search)).toBe(false);
    expect(countFound(search)).toBeGreaterThan(2 * search.truth.length);
    expect(search.truth.every((pair) => timesFound(search, pair) >= 2)).toBe(true);
    expect(cells).toHaveLength(9);
    expect(new Set(cells.map(({ bucket }) => bucket)).size).toBeLessThan(9);
    for (const { lattice, bucket } of cells) expect(bucket).toBe(bucketOfLattice(world, lattice));
  });

  it('finds all contacts at any size if it compares the true cell', () => {
    for (const buckets of TABLES) {
      const { search, world } = tryTable(buckets, true, endless);
      expect(world.cellCount).toBe(buckets);
      expectMended(search, world, endless.positions, endless.diameter);
    }
  });
});

describe('a crowd', () => {
  it('in one cell finds all its contacts, but with as many tests as without a grid', () => {
    for (const count of [2, 50, MOST_CROWDED]) {
      const { search, world, positions, fullest, comparisons, isCrowded } = tryCrowd(count, 0);
      expectMended(search, world, positions, CROWD_DIAMETER);
      expect(fullest).toBe(count);
      expect(search.looks).toBe(count * (count - 1));
      expect(comparisons).toBe(count * (count - 1));
      expect(isCrowded).toBe(count > 128);
    }
  });

  it('needs fewer tests the farther it is spread', () => {
    const crowds = [0, 0.25, 0.5, 1].map((share) => tryCrowd(MOST_CROWDED, share));
    for (const [index, { search, world, positions, comparisons }] of crowds.entries()) {
      expectMended(search, world, positions, CROWD_DIAMETER);
      for (let axis = 0; axis < positions.length; axis++) {
        expect(positions[axis]).toBeGreaterThanOrEqual(0);
        expect(positions[axis]).toBeLessThan(8);
      }
      const before = crowds[index - 1];
      if (!before) continue;
      expect(search.looks).toBeLessThan(before.search.looks);
      expect(comparisons).toBeLessThan(before.comparisons);
    }
  });
});
