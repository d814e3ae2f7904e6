import type { PairList } from '../../../src/core/simulation/simulation';
import { fc } from '../properties';

/** Many of the particles touch, and some are not finite. */
export const touchingParticles = fc.record({
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

/** Compares bytes: the assertion library takes minutes for long arrays. */
export const isSamePairList = (a: PairList, b: PairList) =>
  a.count === b.count && Buffer.from(a.pairs.buffer).equals(Buffer.from(b.pairs.buffer));
