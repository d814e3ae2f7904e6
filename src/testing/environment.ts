/** Reads environment variables for tests, benchmarks and set-up. */
import { type DriverPreference, readPreference, thisMachine } from '../node/drivers';

export const ALLOW_NO_GPU = 'CELLSTORM_ALLOW_NO_GPU';

/** Returns whether tests that need a GPU are skipped on a machine without one. By default they fail. */
export function allowsNoGpu(): boolean {
  return process.env[ALLOW_NO_GPU] === '1';
}

/** Returns the driver in CELLSTORM_DRIVER, by default a software driver, so that every machine gives the same bits. */
export function testPreference(): DriverPreference {
  return readPreference(thisMachine(), 'software');
}
