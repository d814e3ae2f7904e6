import { describe, expect, it } from 'vitest';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { defineWorld } from '../../../../src/core/world/world';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { comparePairs } from '../../../../src/reference/query/pair-list';
import { findPairs } from '../../../../src/reference/query/pairs';
import { sweepPairs } from '../../../../src/reference/query/sweep';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { isSamePairList, touchingParticles } from '../../../helpers/inputs/touching-particles';
import { fc, runs } from '../../../helpers/properties';
import { EQUAL_RADIUS_CASES } from '../../../helpers/scene-names';

describe('pairs through the grid', () => {
  it('equal brute force, except for ambiguous pairs', () => {
    fc.assert(
      fc.property(touchingParticles, ({ dimensions, diameter, coordinates }) => {
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
      runs(500),
    );
  });

  it.each(EQUAL_RADIUS_CASES)(
    'equal the sweep exactly on the scene %s in %dD, which has no ambiguous pairs',
    { tags: 'case' },
    (name, dimensions) => {
      const plan = planSimulation(
        sceneOptions(createScene(name, { dimensions, count: name === 'one-cell' ? 500 : 2000 })),
      );
      const { period } = plan.world;
      const oracle = sweepPairs(dimensions, plan.positions, plan.diameter, undefined, period);
      expect(oracle.ambiguous.count).toBe(0);
      const found = findPairs(plan.world, plan.diameter, buildGrid(plan.world, plan.positions));
      expect(found.count).toBe(oracle.overlapping.count);
      expect(isSamePairList(found, oracle.overlapping)).toBe(true);
    },
  );
});
