import { describe, expect, test } from 'vitest';
import { isLeftOut, runsOf } from '../../helpers/tiers';

const NAMES = Array.from(
  { length: 4000 },
  (_, index) => `scene ${index % 20} in ${index % 3}D, case ${index}`,
);

describe('the default tier', () => {
  test('runs tests without a tag, and leaves out those tagged full', () => {
    const leftOut = (...tags: string[]) => NAMES.filter((name) => isLeftOut(tags, name, 'default'));
    expect(leftOut()).toEqual([]);
    expect(leftOut('full')).toHaveLength(NAMES.length);
    expect(leftOut('case', 'full')).toHaveLength(NAMES.length);
  });

  test('runs an eighth of the tests tagged case, the same in every run', () => {
    const run = NAMES.filter((name) => !isLeftOut(['case'], name, 'default'));
    expect(run.length / NAMES.length).toBeGreaterThan(0.11);
    expect(run.length / NAMES.length).toBeLessThan(0.14);
    expect(NAMES.filter((name) => !isLeftOut(['case'], name, 'default'))).toEqual(run);
  });

  test('runs some cases of each kind, also if their names differ only in a number', () => {
    for (let kind = 0; kind < 20; kind++) {
      const names = NAMES.filter((_, index) => index % 20 === kind);
      const share = names.filter((name) => !isLeftOut(['case'], name, 'default')).length / names.length;
      expect(share).toBeGreaterThan(0.04);
      expect(share).toBeLessThan(0.22);
    }
  });

  test('runs 30% of the random cases of a property, rounded up', () => {
    expect([0, 1, 3, 10, 1000].map((runs) => runsOf(runs, 'default'))).toEqual([0, 1, 1, 3, 300]);
  });
});

describe('the full tier', () => {
  test('leaves out nothing', () => {
    for (const tags of [[], ['case'], ['full'], ['case', 'full']]) {
      expect(NAMES.filter((name) => isLeftOut(tags, name, 'all'))).toEqual([]);
    }
  });

  test('runs all random cases of a property', () => {
    expect([0, 1, 3, 10, 1000].map((runs) => runsOf(runs, 'all'))).toEqual([0, 1, 3, 10, 1000]);
  });
});
