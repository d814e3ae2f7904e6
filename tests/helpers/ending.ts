/**
 * Makes an endless loop fail, which never gives the test runner's own limit a turn of the event loop. No machine needs
 * as long as this limit.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
