import { expect, it } from 'vitest';
import { describeSamples } from '../../../../bench/harness/statistics';

it('describeSamples returns the median, percentiles and spread of samples', () => {
  expect(describeSamples([5, 1, 4, 2, 3])).toEqual({
    median: 3,
    p95: 4.8,
    least: 1,
    most: 5,
    spread: 2 / 3,
    samples: 5,
  });
});
