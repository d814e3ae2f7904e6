import { describe, expect, it } from 'vitest';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { sweepPairs } from '../../../../src/reference/query/sweep';
import { createScene } from '../../../../src/scenes';
import { isSamePairList, touchingParticles } from '../../../helpers/inputs/touching-particles';
import { fc, runs } from '../../../helpers/properties';
import { EQUAL_RADIUS_CASES } from '../../../helpers/scene-names';

describe('sweepPairs', () => {
  it('equals brute force', () => {
    fc.assert(
      fc.property(touchingParticles, ({ dimensions, diameter, coordinates }) => {
        const count = Math.floor(coordinates.length / dimensions);
        const positions = Float32Array.from(coordinates.slice(0, count * dimensions));
        const swept = sweepPairs(dimensions, positions, diameter);
        const exact = bruteForcePairs(dimensions, positions, diameter);
        expect(isSamePairList(swept.overlapping, exact.overlapping)).toBe(true);
        expect(isSamePairList(swept.ambiguous, exact.ambiguous)).toBe(true);
      }),
      runs(500),
    );
  });

  it.each(EQUAL_RADIUS_CASES)(
    'equals brute force on the scene %s in %dD',
    { tags: 'case' },
    (name, dimensions) => {
      const { positions, radius } = createScene(name, { dimensions, count: 1000 });
      const swept = sweepPairs(dimensions, positions, 2 * radius);
      const exact = bruteForcePairs(dimensions, positions, 2 * radius);
      expect(swept.overlapping.count).toBe(exact.overlapping.count);
      expect(isSamePairList(swept.overlapping, exact.overlapping)).toBe(true);
      expect(swept.ambiguous.count).toBe(0);
    },
  );
});
