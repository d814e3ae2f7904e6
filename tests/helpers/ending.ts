/**
 * Makes an endless loop fail. The test runner's own limit needs a turn of the event loop, which such a loop never
 * gives. No machine needs as long as this limit.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
