/**
 * Purpose: work that would never end fails instead: the runner's own limit waits for its turn, which an endless loop never
 * gives. The limit is far above what any machine takes.
 */
import { runInNewContext } from 'node:vm';

const LIMIT_MS = 30_000;

export function ending<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as Result;
}
