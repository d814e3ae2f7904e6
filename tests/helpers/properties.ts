/** fast-check, with as many random cases as the tier runs. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isUsualSeed, runsOf } from './tiers';

export { fc };

/** The full tier runs `numRuns` random cases. */
export function runs(numRuns: number): fc.Parameters<unknown> {
  return { numRuns: runsOf(numRuns) };
}

/**
 * Expects that random cases showed something at least `least` times in the full tier, or in proportion in the default
 * tier. Checks nothing with an unusual seed, because then chance would decide.
 */
export function expectSeen(count: number, least: number): void {
  if (isUsualSeed) expect(count).toBeGreaterThanOrEqual(runsOf(least));
}
