import { describe, expect, it } from 'vitest';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { hashState } from '../../../../src/core/state/hash';
import { defineWorld } from '../../../../src/core/world/world';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { isFiniteParticle } from '../../../../src/reference/measure/finite';
import { measureState } from '../../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { fc, runs } from '../../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../../helpers/scene-names';

const WORLD = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 4], cellSize: 1 }, 1);

describe('measureState', () => {
  it('agrees with counts and sums made by hand', () => {
    // Two particles overlap by 1/4, one is alone, one is outside the box, and one is not finite.
    const positions = new Float32Array([0.5, 0.5, 1.25, 0.5, 3.5, 3.5, 5, 1, Number.NaN, 1]);
    const velocities = new Float32Array([1, 0, 0, 2, 0, 0, -3, 1, 7, 7]);
    const measures = measureState(WORLD, 1, buildGrid(WORLD, positions, velocities));
    expect(measures).toEqual({
      count: 5,
      candidates: 1,
      contacts: 1,
      borderline: 0,
      obstacleContacts: 0,
      bucketCollisions: 0,
      occupiedCells: 4,
      greatestOccupancy: 1,
      crowded: 0,
      outside: 1,
      nonFinite: 1,
      kineticEnergy: (1 + 4 + 10) / 2,
      momentum: [-2, 3],
      deepestOverlap: 0.25,
      meanOverlap: 0.25,
      hash: hashState(2, positions, velocities),
    });
    expect(measureState(WORLD, 1, buildGrid(WORLD, positions, velocities), 'naive').candidates).toBe(6);
  });

  it('is all zeros without particles', () => {
    const measures = measureState(WORLD, 1, buildGrid(WORLD, new Float32Array(0)));
    expect(Object.values(measures).flat()).toEqual([
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      '0000000000000000',
    ]);
  });

  it('agrees with brute force, wherever particles are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            { weight: 20, arbitrary: fc.integer({ min: -16, max: 80 }).map((step) => step / 16) },
            { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Infinity) },
          ),
          { maxLength: 120 },
        ),
        (coordinates) => {
          const count = Math.floor(coordinates.length / 2);
          const positions = Float32Array.from(coordinates.slice(0, 2 * count));
          const measures = measureState(WORLD, 1, buildGrid(WORLD, positions));
          const { overlapping } = bruteForcePairs(2, positions, 1);
          let deepest = 0;
          let total = 0;
          for (let pair = 0; pair < overlapping.count; pair++) {
            const [a, b] = [overlapping.pairs[2 * pair] as number, overlapping.pairs[2 * pair + 1] as number];
            const overlap =
              1 -
              Math.hypot(
                (positions[2 * a] as number) - (positions[2 * b] as number),
                (positions[2 * a + 1] as number) - (positions[2 * b + 1] as number),
              );
            deepest = Math.max(deepest, overlap);
            total += overlap;
          }
          const finite = Array.from({ length: count }, (_, particle) => particle).filter((particle) =>
            isFiniteParticle(2, positions, particle),
          );
          expect(measures.contacts).toBe(overlapping.count);
          expect(measures.candidates).toBeGreaterThanOrEqual(measures.contacts);
          expect(measures.deepestOverlap).toBeCloseTo(deepest, 6);
          expect(measures.meanOverlap).toBeCloseTo(overlapping.count > 0 ? total / overlapping.count : 0, 6);
          expect(measures.nonFinite).toBe(count - finite.length);
          expect(measures.outside).toBe(
            finite.filter((particle) =>
              [0, 1].some((axis) => {
                const coordinate = positions[2 * particle + axis] as number;
                return coordinate < 0 || coordinate > 4;
              }),
            ).length,
          );
        },
      ),
      runs(300),
    );
  });

  it.each(EQUAL_RADIUS_SCENES)('finds all particles of the scene %s finite and inside the world', (name) => {
    for (const dimensions of [2, 3] as const) {
      const plan = planSimulation(sceneOptions(createScene(name, { dimensions, count: 300 })));
      const measures = measureState(plan.world, plan.diameter, buildGrid(plan.world, plan.positions));
      expect(measures).toMatchObject({ count: 300, outside: 0, nonFinite: 0 });
      if (name === 'one-cell') {
        expect(measures).toMatchObject({
          occupiedCells: 1,
          greatestOccupancy: 300,
          crowded: 300,
          candidates: 44_850,
        });
      }
    }
  });
});
