/**
 * Runs work under a time limit, so that a test of an endless loop fails. The test runner's own limit needs a turn of
 * the event loop, which such a loop never gives. Work that ends takes far less than the limit on any machine.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
