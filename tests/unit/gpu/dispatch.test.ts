import { describe, expect, it } from 'vitest';
import { LimitError } from '../../../src/core/base/errors';
import { foldWorkgroups } from '../../../src/gpu/dispatch';

describe('foldWorkgroups', () => {
  it.each([
    [0, 65_535, [0, 1]],
    [1, 65_535, [1, 1]],
    [65_535, 65_535, [65_535, 1]],
    [65_536, 65_535, [32_768, 2]],
    [131_070, 65_535, [65_535, 2]],
    [131_071, 65_535, [43_691, 3]],
    [65_535 * 65_535, 65_535, [65_535, 65_535]],
    [2, 2, [2, 1]],
    [3, 2, [2, 2]],
    [4, 2, [2, 2]],
    [1, 1, [1, 1]],
  ] as const)(
    'folds %i workgroups so that no dimension has more than %i',
    (workgroups, perDimension, expected) => {
      expect(foldWorkgroups(workgroups, perDimension)).toEqual(expected);
    },
  );

  it('has room for any number of workgroups that two dimensions hold, and wastes less than one row', () => {
    for (const perDimension of [1, 2, 3, 7, 16]) {
      for (let workgroups = 0; workgroups <= perDimension * perDimension; workgroups++) {
        const [columns, rows] = foldWorkgroups(workgroups, perDimension);
        expect(columns).toBeLessThanOrEqual(perDimension);
        expect(rows).toBeLessThanOrEqual(perDimension);
        expect(columns * rows).toBeGreaterThanOrEqual(workgroups);
        expect(columns * rows - workgroups).toBeLessThan(Math.max(1, columns));
      }
    }
  });

  it.each([
    [5, 2],
    [2, 1],
    [65_535 * 65_535 + 1, 65_535],
  ])('rejects %i workgroups if a dimension holds %i', (workgroups, perDimension) => {
    const attempt = () => foldWorkgroups(workgroups, perDimension);
    expect(attempt).toThrow(LimitError);
    expect(attempt).toThrow(
      `A dispatch of ${workgroups} workgroups is too large: the device's maxComputeWorkgroupsPerDimension of ${perDimension} allows at most ${perDimension * perDimension} in two dimensions.`,
    );
  });
});
