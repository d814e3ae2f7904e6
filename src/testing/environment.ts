/** Reads the environment of tests, benchmarks and set-up: which GPU driver to use, and whether a GPU is required. */
import { type DriverPreference, readPreference, thisMachine } from '../node/drivers';

export const ALLOW_NO_GPU = 'CELLSTORM_ALLOW_NO_GPU';

/** Returns whether tests that need a GPU are skipped, with a note, instead of failing without one. */
export function allowsNoGpu(): boolean {
  return process.env[ALLOW_NO_GPU] === '1';
}

/**
 * The driver for tests: software by default, so that every machine gives the same bits, or as CELLSTORM_DRIVER says.
 */
export function testPreference(): DriverPreference {
  return readPreference(thisMachine(), 'software');
}
