/**
 * Makes an endless loop fail. The test runner's own limit needs a turn of the event loop, which an endless loop never
 * gives. The limit is far above the time that any machine needs.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
