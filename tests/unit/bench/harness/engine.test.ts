import { expect, it } from 'vitest';
import { foldPairs, mixPair } from '../../../../bench/harness/engine';
import type { PairList } from '../../../../src/core/simulation/simulation';
import { fc } from '../../../helpers/properties';

function listOf(words: readonly number[]): PairList {
  return { count: words.length / 2, pairs: Uint32Array.from(words) };
}

it('the checksum does not depend on the order of pairs, and differs for sets that differ in one pair', () => {
  const ids = fc.tuple(fc.nat(1000), fc.nat(1000)).filter(([a, b]) => a !== b);
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1 }), ids, (pairs, other) => {
      const found = foldPairs(listOf(pairs.flat()));
      expect(foldPairs(listOf(pairs.toReversed().flatMap(([a, b]) => [b, a])))).toEqual(found);
      const [first, ...rest] = pairs as [[number, number], ...[number, number][]];
      if (mixPair(...first) === mixPair(...other)) return;
      expect(foldPairs(listOf([other, ...rest].flat()))).not.toEqual(found);
    }),
  );
});
