import { describe, expect, it } from 'vitest';
import { comparePairs, PairCollector, sortPairs } from '../../../../src/reference/query/pair-list';
import { fc } from '../../../helpers/properties';

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

  it('are sorted as by a comparison sort, for any pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { maxLength: 300 }), (pairs) => {
        const expected = pairs.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect([...listOf(...pairs).pairs]).toEqual(expected.flat());
      }),
    );
  });

  it('grow beyond their initial capacity, and may be empty', () => {
    const collector = new PairCollector();
    for (let id = 0; id < 1000; id++) collector.add(id + 1, id);
    expect(collector.toPairList().count).toBe(1000);
    expect(new PairCollector().toPairList()).toEqual({ count: 0, pairs: new Uint32Array(0) });
  });

  it('are compared: missing and extra pairs are listed, and ambiguous pairs that differ are counted as excused', () => {
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
