/** Runs before each test file: skips the tests that the tier leaves out, and seeds all random cases. */
import fc from 'fast-check';
import { beforeEach } from 'vitest';
import { isLeftOut, runsOf, seed } from './tiers';

/** The path of one case to replay; npm run test:fuzz sets it. */
const path = process.env.CELLSTORM_PATH;

/** The number of runs that fast-check uses for a property that names none. */
const USUAL_RUNS = 100;

fc.configureGlobal({ seed, numRuns: runsOf(USUAL_RUNS), ...(path ? { path } : {}) });

beforeEach(({ task, skip }) => {
  if (isLeftOut(task.tags ?? [], task.fullName)) skip('npm run test:all runs it.');
});
