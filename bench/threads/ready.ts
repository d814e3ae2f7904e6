import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 5;

/** Waits until all threads of a simulation or grid work, or until a warning says that one is missing. */
export async function threadsReady(
  object: { readonly threads: number; readonly warnings: readonly string[] },
  threads: number,
): Promise<void> {
  while (object.threads < threads && object.warnings.length === 0) await pause(POLL_MS);
}
