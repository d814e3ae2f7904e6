/** How jobs are divided into batches. Results do not depend on it. */
import type { Dimensions } from '../../core/world/world';

/** Length of the array in which the owner writes the parameters of a job, while no worker has joined. */
export const JOB_NUMBERS = 64;

/**
 * Threads claim about this many batches each. More batches share the work more evenly. In 3D, more pairs lie between
 * batches, and a step computes each of these pairs twice.
 */
export const BATCHES_EACH: Readonly<Record<Dimensions, number>> = { 2: 4, 3: 3 };

/** Fewer particles take less time than handing them to a worker. */
const LEAST_BATCH = 256;

/** Returns the number of batches for so many particles, and the particles per batch. */
export function batchesFor(
  count: number,
  mostBatches: number,
): { readonly batches: number; readonly size: number } {
  const wanted = Math.max(1, Math.min(mostBatches, Math.floor(count / LEAST_BATCH)));
  const size = Math.max(1, Math.ceil(count / wanted));
  return { batches: Math.ceil(count / size), size };
}

/** With fewer particles, one thread is faster. */
export const LEAST_PARTICLES = 4096;
