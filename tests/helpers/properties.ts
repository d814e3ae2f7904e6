/** fast-check, with the number of random cases that the tier runs. tests/helpers/setup.ts sets the seed. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isUsualSeed, runsOf } from './tiers';

export { fc };

/** Parameters of a property of which the full tier runs `numRuns` random cases. */
export function runs(numRuns: number): fc.Parameters<unknown> {
  return { numRuns: runsOf(numRuns) };
}

/**
 * Checks that random cases showed what a property is about at least `least` times in the full tier, or in proportion if
 * fewer run. Checks nothing with an unusual seed, because then chance would decide.
 */
export function expectSeen(count: number, least: number): void {
  if (isUsualSeed) expect(count).toBeGreaterThanOrEqual(runsOf(least));
}
