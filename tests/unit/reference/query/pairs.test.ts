import { describe, expect, it } from 'vitest';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { PairList } from '../../../src/core/simulation/simulation';
import { defineWorld } from '../../../src/core/world/world';
import { buildGrid } from '../../../src/reference/grid/grid';
import { bruteForcePairs, pairBand } from '../../../src/reference/query/brute-force';
import { comparePairs, PairCollector, sortPairs } from '../../../src/reference/query/pair-list';
import { findPairs } from '../../../src/reference/query/pairs';
import { sweepPairs } from '../../../src/reference/query/sweep';
import { distanceSquared } from '../../../src/reference/solve/contact';
import { createScene, sceneOptions } from '../../../src/scenes';
import { PLAIN_WORLDS } from '../../helpers/inputs/worlds';
import { fc } from '../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';
import { atGate, THOROUGH } from '../../helpers/thorough';

/** Compares long arrays as bytes, since the assertion library takes minutes for them. */
const isSame = (a: PairList, b: PairList) =>
  a.count === b.count && Buffer.from(a.pairs.buffer).equals(Buffer.from(b.pairs.buffer));

const listOf = (...pairs: [number, number][]) => sortPairs(Uint32Array.from(pairs.flat()));

describe('pair lists', () => {
  it('are sorted by the first id, then by the second', () => {
    const collector = new PairCollector();
    for (const [a, b] of [
      [9, 3],
      [1, 7],
      [3, 4],
      [7, 0],
      [1, 2],
    ] as const) {
      collector.add(a, b);
    }
    expect(collector.toPairList()).toEqual({
      count: 5,
      pairs: new Uint32Array([0, 7, 1, 2, 1, 7, 3, 4, 3, 9]),
    });
  });

  it('are sorted like a comparison sort does, for any pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 300 }), (pairs) => {
        const expected = pairs.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect([...listOf(...pairs).pairs]).toEqual(expected.flat());
      }),
      { seed: 40 },
    );
  });

  it('grow beyond their initial capacity, and may be empty', () => {
    const collector = new PairCollector();
    for (let id = 0; id < 1000; id++) collector.add(id + 1, id);
    expect(collector.toPairList().count).toBe(1000);
    expect(new PairCollector().toPairList()).toEqual({ count: 0, pairs: new Uint32Array(0) });
  });

  it('are compared: missing, extra and excused pairs are listed separately', () => {
    const oracle = { overlapping: listOf([0, 1], [0, 2], [1, 5]), ambiguous: listOf([0, 2], [3, 4]) };
    const none = listOf();
    expect(comparePairs(oracle.overlapping, oracle)).toEqual({ missing: none, extra: none, excused: 0 });
    expect(comparePairs(listOf([0, 1], [1, 5], [3, 4]), oracle)).toEqual({
      missing: none,
      extra: none,
      excused: 2,
    });
    expect(comparePairs(listOf([0, 3], [1, 5], [7, 8]), oracle)).toEqual({
      missing: listOf([0, 1]),
      extra: listOf([0, 3], [7, 8]),
      excused: 1,
    });
  });
});

/** Coordinates in and around a box, often touching, sometimes not finite. */
const particles = fc.record({
  dimensions: fc.constantFrom<2 | 3>(2, 3),
  diameter: fc.constantFrom(1, 0.3, 0.875, 1.7).map(Math.fround),
  coordinates: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: fc.double({ min: -1, max: 5, noNaN: true }) },
      { weight: 5, arbitrary: fc.integer({ min: -8, max: 40 }).map((step) => step / 8) },
      { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Infinity, 3e38, -3e38) },
    ),
    { maxLength: 150 },
  ),
});

describe('brute force', () => {
  it('finds pairs closer than the diameter; touching is not overlapping', () => {
    const positions = new Float32Array([0, 0, 1, 0, 0.5, 0.75, 0.5, -0.9]);
    const { overlapping, ambiguous } = bruteForcePairs(2, positions, 1);
    expect([...overlapping.pairs]).toEqual([0, 2, 1, 2]);
    expect(ambiguous.count).toBe(0);
  });

  it('uses the given ids', () => {
    const { overlapping } = bruteForcePairs(2, new Float32Array([0, 0, 0, 0]), 1, new Uint32Array([9, 4]));
    expect([...overlapping.pairs]).toEqual([4, 9]);
  });

  it('reports a pair as ambiguous only if rounding could decide', () => {
    // The squared distance differs from the diameter's by one part in 2²⁴.
    const touching = new Float32Array([0, 0, 0.6, 0.8]);
    expect(bruteForcePairs(2, touching, 1).ambiguous.count).toBe(1);
    expect(bruteForcePairs(2, new Float32Array([0, 0, 0.6, 0.79]), 1).ambiguous.count).toBe(0);
    // These touch exactly, in numbers that 32-bit floats hold: not ambiguous, and no overlap.
    const exact = bruteForcePairs(2, new Float32Array([0, 0, 0.75, 1]), 1.25);
    expect([exact.overlapping.count, exact.ambiguous.count]).toEqual([0, 0]);
  });

  it('has a band wide enough for every order of summation, fused or not', () => {
    const u = 2 ** -24;
    fc.assert(
      fc.property(
        fc.constantFrom<2 | 3>(2, 3),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: -6, max: 6 }),
        (dimensions, size, direction, offset, nudge) => {
          const diameter = Math.fround(size);
          const length = Math.hypot(...direction.slice(0, dimensions));
          if (length < 0.01) return;
          // The pair almost touches.
          const a = offset.slice(0, dimensions).map((along) => Math.fround(along * size));
          const b = a.map((along, axis) =>
            Math.fround(along + ((direction[axis] as number) / length) * diameter * (1 + nudge * u)),
          );
          const apart = a.map((along, axis) => along - (b[axis] as number));
          const exact = apart.reduce((sum, along) => sum + along * along, 0);
          const rounded = apart.map(Math.fround);
          const plain = distanceSquared(PLAIN_WORLDS[dimensions], new Float32Array([...a, ...b]), 0, 1);
          // Each square except the first is fused into the sum, in both orders.
          const fused = (values: number[]) =>
            values.reduce((sum, along) => Math.fround(sum + along * along), 0);
          const limit = Math.fround(diameter * diameter);
          for (const computed of [plain, fused(rounded), fused(rounded.toReversed())]) {
            if (computed < limit !== exact < diameter * diameter) {
              expect(Math.abs(exact - diameter * diameter)).toBeLessThanOrEqual(
                pairBand(dimensions, diameter),
              );
            }
          }
        },
      ),
      { numRuns: atGate(5000), seed: 41 },
    );
  });
});

describe('sweep', () => {
  it('equals brute force', () => {
    fc.assert(
      fc.property(particles, ({ dimensions, diameter, coordinates }) => {
        const count = Math.floor(coordinates.length / dimensions);
        const positions = Float32Array.from(coordinates.slice(0, count * dimensions));
        const swept = sweepPairs(dimensions, positions, diameter);
        const exact = bruteForcePairs(dimensions, positions, diameter);
        expect(isSame(swept.overlapping, exact.overlapping)).toBe(true);
        expect(isSame(swept.ambiguous, exact.ambiguous)).toBe(true);
      }),
      { numRuns: atGate(500), seed: 42 },
    );
  });

  it.each(EQUAL_RADIUS_SCENES)('equals brute force on the scene %s', (name) => {
    for (const dimensions of [2, 3] as const) {
      const { positions, radius } = createScene(name, { dimensions, count: 1000 });
      const swept = sweepPairs(dimensions, positions, 2 * radius);
      const exact = bruteForcePairs(dimensions, positions, 2 * radius);
      expect(swept.overlapping.count).toBe(exact.overlapping.count);
      expect(isSame(swept.overlapping, exact.overlapping)).toBe(true);
      expect(swept.ambiguous.count).toBe(0);
    }
  });
});

describe('pairs through the grid', () => {
  it('equal brute force, except for ambiguous pairs', () => {
    fc.assert(
      fc.property(particles, ({ dimensions, diameter, coordinates }) => {
        const count = Math.floor(coordinates.length / dimensions);
        const positions = Float32Array.from(coordinates.slice(0, count * dimensions));
        const world = defineWorld(
          {
            dimensions,
            min: new Array<number>(dimensions).fill(-0.3),
            max: new Array<number>(dimensions).fill(4),
          },
          diameter,
        );
        const found = findPairs(world, diameter, buildGrid(world, positions));
        const { missing, extra } = comparePairs(found, bruteForcePairs(dimensions, positions, diameter));
        expect([missing.count, extra.count]).toEqual([0, 0]);
      }),
      { numRuns: atGate(500), seed: 43 },
    );
  });

  it.each(EQUAL_RADIUS_SCENES)(
    'equal the sweep exactly on the scene %s, which has no ambiguous pairs',
    (name) => {
      for (const dimensions of [2, 3] as const) {
        const plan = planSimulation(
          sceneOptions(
            createScene(name, { dimensions, count: name === 'one-cell' ? 500 : THOROUGH ? 5000 : 2000 }),
          ),
        );
        const { period } = plan.world;
        const oracle = sweepPairs(dimensions, plan.positions, plan.diameter, undefined, period);
        expect(oracle.ambiguous.count).toBe(0);
        const found = findPairs(plan.world, plan.diameter, buildGrid(plan.world, plan.positions));
        expect(found.count).toBe(oracle.overlapping.count);
        expect(isSame(found, oracle.overlapping)).toBe(true);
      }
    },
  );
});
