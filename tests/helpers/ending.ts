/**
 * Runs work under a time limit, so that a test fails if its work loops endlessly. The test runner's own limit needs a
 * turn of the event loop, which an endless loop never gives. Work that ends takes far less than the limit on any
 * machine.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
