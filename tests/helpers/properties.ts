/** fast-check, with as many random cases as the tier runs. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isUsualSeed, runsOf } from './tiers';

export { fc };

/** Returns parameters for `numRuns` random cases in the full tier, and fewer in the default tier. */
export function runs(numRuns: number): fc.Parameters<unknown> {
  return { numRuns: runsOf(numRuns) };
}

/**
 * Expects at least `least` occurrences among the random cases of the full tier, and fewer in the default tier. Checks
 * nothing with an unusual seed, because then chance would decide.
 */
export function expectSeen(count: number, least: number): void {
  if (isUsualSeed) expect(count).toBeGreaterThanOrEqual(runsOf(least));
}
