import { expect, it } from 'vitest';
import { DEFAULT_SIZES, GROUP_NAMES } from '../../../../../bench/physics/measure';
import { casesOf } from '../../../../../bench/physics/measures';

it('each group has cases in 2D and 3D, and no two cases have the same name', () => {
  const cases = GROUP_NAMES.flatMap((group) => casesOf(group, [2, 3], DEFAULT_SIZES));
  const names = cases.map(({ group, dimensions, scene }) => `${group} ${dimensions}D ${scene}`);
  expect(new Set(names).size).toBe(names.length);
  for (const group of GROUP_NAMES) {
    expect(new Set(cases.filter((one) => one.group === group).map((one) => one.dimensions))).toEqual(
      new Set([2, 3]),
    );
  }
  expect(casesOf('pile', [3], DEFAULT_SIZES).map(({ group, dimensions }) => [group, dimensions])).toEqual([
    ['pile', 3],
  ]);
});
