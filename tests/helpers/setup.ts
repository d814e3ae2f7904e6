/** Runs before each test file: skips the tests that the tier leaves out, and seeds fast-check. */
import fc from 'fast-check';
import { beforeEach } from 'vitest';
import { isLeftOut, runsOf, seed } from './tiers';

/** fast-check's path to one case. `npm run test:fuzz -- --path …` sets it, to replay that case. */
const path = process.env.CELLSTORM_PATH;

/** The default of fast-check. */
const USUAL_RUNS = 100;

fc.configureGlobal({ seed, numRuns: runsOf(USUAL_RUNS), ...(path ? { path } : {}) });

beforeEach(({ task, skip }) => {
  if (isLeftOut(task.tags ?? [], task.fullName)) skip('npm run test:all runs it.');
});
