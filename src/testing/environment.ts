/** What tests, benchmarks and set-up read from the environment: which GPU driver to use, and whether one must be there. */
import { type DriverPreference, readPreference, thisMachine } from '../node/drivers';

export const ALLOW_NO_GPU = 'CELLSTORM_ALLOW_NO_GPU';

/** Tests that need a GPU fail without one. If this is set they are skipped instead, and the run prints that. */
export function allowsNoGpu(): boolean {
  return process.env[ALLOW_NO_GPU] === '1';
}

/** The software driver by default, so that every machine gives the same bits; CELLSTORM_DRIVER=system for the hardware. */
export function testPreference(): DriverPreference {
  return readPreference(thisMachine(), 'software');
}
