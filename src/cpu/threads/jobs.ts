/** Divides jobs into batches. Results do not depend on the division. */
import type { Dimensions } from '../../core/world/world';

/** Length of the array with a job's parameters. The owner writes them before any worker joins the job. */
export const JOB_NUMBERS = 64;

/** How many batches a job has per thread. More batches share the work more evenly. */
export interface BatchesEach {
  readonly least: number;
  /** The number for many particles. It bounds the memory for the plan of a sort. */
  readonly most: number;
}

/**
 * A step computes each pair between two batches twice. In 2D, rows are short, so smaller batches cost little, and their
 * data stay in the cache. In 3D, layers are large, so smaller batches would cost more.
 */
export const STEP_BATCHES: Readonly<Record<Dimensions, BatchesEach>> = {
  2: { least: 4, most: 12 },
  3: { least: 3, most: 3 },
};

/** A search for pairs tests each pair only once, so many batches cost little. */
export const GRID_BATCHES: Readonly<Record<Dimensions, BatchesEach>> = {
  2: { least: 4, most: 16 },
  3: { least: 3, most: 16 },
};

/** Work on fewer particles than this takes less time than handing it to a worker. */
const LEAST_BATCH = 256;

/** Between `least` and `most`, batches have about this many particles: few enough for a core's second-level cache. */
const MANY = 4096;

export interface Batches {
  readonly batches: number;
  /** Particles per batch. */
  readonly size: number;
}

export function batchesFor(count: number, threads: number, { least, most }: BatchesEach): Batches {
  const wanted = Math.min(Math.max(least * threads, count / MANY), most * threads, count / LEAST_BATCH);
  const size = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(wanted))));
  return { batches: Math.ceil(count / size), size };
}

/** With fewer particles, one thread is faster. */
export const LEAST_PARTICLES = 4096;
