import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { pairEvents } from '../../../../src/core/simulation/pair-events';
import type { PairList } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { createScene, sceneOptions } from '../../../../src/scenes';

import { fc, runs } from '../../../helpers/properties';

type Pair = readonly [number, number];

function listOf(pairs: readonly Pair[], spare = 0): PairList {
  return { count: pairs.length, pairs: Uint32Array.from([...pairs.flat(), ...new Array(spare).fill(9)]) };
}

function pairsOf({ count, pairs }: PairList): string[] {
  expect(pairs.length).toBe(2 * count);
  return Array.from({ length: count }, (_, pair) => `${pairs[2 * pair]} ${pairs[2 * pair + 1]}`);
}

const lists = fc
  .uniqueArray(fc.tuple(fc.nat(6), fc.nat(6)), { selector: String, maxLength: 30 })
  .map((pairs) => pairs.map(([first, apart]): Pair => [first, first + 1 + apart]))
  .map((pairs) => pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]));

describe('pairEvents', () => {
  it('separates begun, stayed and ended pairs, in order', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const { begun, stayed, ended } = pairEvents(listOf(before, 4), listOf(after));
        const [old, now] = [before, after].map((pairs) => pairs.map((pair) => pair.join(' '))) as [
          string[],
          string[],
        ];
        expect(pairsOf(begun)).toEqual(now.filter((pair) => !old.includes(pair)));
        expect(pairsOf(stayed)).toEqual(now.filter((pair) => old.includes(pair)));
        expect(pairsOf(ended)).toEqual(old.filter((pair) => !now.includes(pair)));
      }),
      runs(500),
    );
  });

  it('follows a simulation from step to step', () => {
    const simulation = createCpuSimulation(
      sceneOptions(createScene('uniform', { dimensions: 2, count: 400 }), { gravity: [0, -9] }),
    );
    let before = simulation.findPairs();
    let changes = 0;
    for (let step = 0; step < 30; step++) {
      simulation.step(1 / 60);
      const after = simulation.findPairs();
      const { begun, stayed, ended } = pairEvents(before, after);
      expect(stayed.count + begun.count).toBe(after.count);
      expect(stayed.count + ended.count).toBe(before.count);
      changes += begun.count + ended.count;
      before = after;
    }
    expect(changes).toBeGreaterThan(10);
  });

  it.each<[unknown, RegExp]>([
    [undefined, /^after is undefined, but it must be a list of pairs, as returned by findPairs\.$/],
    [{ count: 2, pairs: [0, 1, 0, 2] }, /^after is an object, /],
    [
      { count: 2, pairs: new Uint32Array(3) },
      /^after\.count is 2, but it must be a whole number from 0 to 1\.$/,
    ],
    [{ count: -1, pairs: new Uint32Array(2) }, /^after\.count is -1, /],
    [{ count: 0.5, pairs: new Uint32Array(2) }, /^after\.count is 0\.5, /],
    [{ count: Number.NaN, pairs: new Uint32Array(2) }, /^after\.count is NaN, /],
    [{ pairs: new Uint32Array(2) }, /^after\.count is undefined, /],
    [
      listOf([[2, 1]]),
      /^after is a list with the pair 2, 1 at index 0, but it must be a list of pairs whose first id is the lower one\.$/,
    ],
    [
      listOf([
        [0, 1],
        [3, 3],
      ]),
      /^after is a list with the pair 3, 3 at index 1, but it must be a list of pairs whose first id is the lower/,
    ],
    [
      listOf([
        [1, 2],
        [0, 5],
      ]),
      /^after is a list with the pair 0, 5 at index 1, but it must be in ascending order, with each pair once\.$/,
    ],
    [
      listOf([
        [1, 2],
        [1, 2],
      ]),
      /at index 1/,
    ],
  ])('rejects %j', (list, message) => {
    expect(() => pairEvents(listOf([]), list as PairList)).toThrow(ArgumentError);
    expect(() => pairEvents(listOf([]), list as PairList)).toThrow(message);
  });
});
