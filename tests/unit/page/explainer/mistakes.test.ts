import { describe, expect, it } from 'vitest';
import { bucketOfLattice, latticeOfParticle } from '../../../../src/core/world/cells';
import type { World } from '../../../../src/core/world/world';
import { createFrame, FRAMES, tryFrame } from '../../../../src/page/explainer/ghosts';
import { createPairs, HANDLINGS, tryHandling } from '../../../../src/page/explainer/handling';
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
import { describe as describeCount, formatNumber } from '../../../../src/page/explainer/words';
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

  it('find all contacts if a cell is at least a diameter wide; the larger the cells, the more pairs are tested', () => {
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

  it('lose contacts if a cell is less than a diameter wide; such cells are rejected even if they lose none', () => {
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

describe('the search in a crowd', () => {
  it('finds all contacts in one cell, but with as many tests as without a grid', () => {
    for (const count of [2, 50, MOST_CROWDED]) {
      const { search, world, positions, fullest, comparisons, isCrowded } = tryCrowd(count, 0);
      expectMended(search, world, positions, CROWD_DIAMETER);
      expect(fullest).toBe(count);
      expect(search.looks).toBe(count * (count - 1));
      expect(comparisons).toBe(count * (count - 1));
      expect(isCrowded).toBe(count > 128);
    }
  });

  it('needs fewer tests the farther the crowd is spread', () => {
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

describe('pairs that a loop finds from both sides', () => {
  const pairs = createPairs();
  const { world, positions, diameter } = pairs;
  const handle = () => HANDLINGS.map((handling) => tryHandling(handling, pairs));
  const distances = (of: Float32Array) =>
    Array.from({ length: of.length / 4 }, (_, pair) => {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = of.subarray(4 * pair, 4 * pair + 4);
      return Math.hypot(x2 - x1, y2 - y1);
    });

  it('end up too far apart, by as much as they overlapped, if both particles move each time', () => {
    const { search, moved, gap } = tryHandling('both', pairs);
    expect(search.truth).toHaveLength(12);
    expect(search.truth.flat()).toEqual(
      Array.from(bruteForcePairs(2, positions, diameter).overlapping.pairs),
    );
    for (const pair of search.truth) expect(timesFound(search, pair)).toBe(4);
    const before = distances(positions);
    distances(moved).forEach((distance, pair) => {
      expect(distance).toBeCloseTo(2 * diameter - (before[pair] ?? 0), 5);
    });
    expect(gap).toBeCloseTo(diameter - Math.min(...before), 5);
    expect(gap).toBeGreaterThan(0.2);
  });

  it('just touch if one particle handles the pair, or if each particle moves only itself', () => {
    const [both, larger, own] = handle();
    for (const { search, moved, gap } of [larger, own].flatMap((one) => one ?? [])) {
      expect(isRight(search)).toBe(true);
      expect(gap).toBeCloseTo(0, 6);
      for (const distance of distances(moved)) expect(distance).toBeCloseTo(diameter, 6);
    }
    expectMended(tryHandling('own', pairs).search, world, positions, diameter);
    expect(larger?.moved).toEqual(own?.moved);
    // A pair that is handled once needs one look instead of two.
    expect([both, larger].map((handled) => handled?.search.looks)).toEqual([64, 32]);
  });
});

describe('counters of cells', () => {
  const frames = Array.from({ length: FRAMES }, (_, index) => index + 1);

  it('that are cleared find all contacts of every frame, and no ghosts', () => {
    for (const frame of frames) {
      const { world, positions, diameter } = createFrame(frame);
      const { search, ghosts, haunted, counted } = tryFrame(frame, true);
      expectMended(search, world, positions, diameter);
      expect({ ghosts, haunted, counted }).toEqual({
        ghosts: [],
        haunted: [],
        counted: positions.length / 2,
      });
    }
  });

  it('that are not cleared hold all earlier frames, whose ghosts touch particles', () => {
    for (const frame of frames) {
      const { positions, diameter } = createFrame(frame);
      const count = positions.length / 2;
      const { search, ghosts, haunted, counted } = tryFrame(frame, false);
      expect(isRight(search)).toBe(true);
      expect(counted).toBe(frame * count);
      expect(ghosts).toHaveLength((frame - 1) * count);
      // Ghosts are the particles of earlier frames. Brute force finds the ghosts that touch.
      const touches = frames.slice(0, frame - 1).flatMap((earlier) => {
        const before = createFrame(earlier).positions;
        return Array.from({ length: count * count }, (_, index) => {
          const [ghost, particle] = [index % count, Math.floor(index / count)];
          const [x, y] = [0, 1].map(
            (axis) => (positions[2 * particle + axis] ?? 0) - (before[2 * ghost + axis] ?? 0),
          );
          return Math.hypot(x ?? 0, y ?? 0) < diameter ? [`${particle} ${earlier} ${ghost}`] : [];
        }).flat();
      });
      const found = haunted.map(({ particle, ghost }) => `${particle} ${ghost.frame} ${ghost.particle}`);
      expect(found.toSorted()).toEqual(touches.toSorted());
      if (frame > 1) expect(search.looks).toBeGreaterThan(tryFrame(frame, true).search.looks);
    }
    expect(tryFrame(3, false).haunted).toHaveLength(20);
  });
});

describe('numbers in words', () => {
  it('have separators and no minus zero', () => {
    expect(describeCount(22_350, 'look')).toBe('22,350 looks');
    expect([0.12345, -0.0001, 1234.5].map(formatNumber)).toEqual(['0.123', '0', '1,234.5']);
  });
});
