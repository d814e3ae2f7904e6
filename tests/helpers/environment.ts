/**
 * Purpose: what the tests run on: which browser, which driver, and whether a missing GPU is excused.
 */
import {
  chooseDriver,
  type Driver,
  type DriverPreference,
  findChrome,
  findLavapipe,
  findSoftwareDriver,
  readPreference,
  thisMachine,
} from '../../src/node/drivers';
import { THOROUGH, THOROUGH_FLAG } from './thorough';

const ALLOW_NO_GPU = 'CELLSTORM_ALLOW_NO_GPU';

/** Tests that need a GPU fail without one, unless this is set; then they are skipped and the run says so. */
export function allowsNoGpu(): boolean {
  return process.env[ALLOW_NO_GPU] === '1';
}

/** Software by default, so that everyone gets the same bits; CELLSTORM_DRIVER=system for the hardware. */
export function testPreference(): DriverPreference {
  return readPreference(thisMachine(), 'software');
}

/** For wgpu: Mesa's, so that a second driver is tested as well, else what the other tests use. */
export function portabilityDriver(): Driver | undefined {
  const machine = thisMachine();
  const preference = testPreference();
  if (preference !== 'software') return chooseDriver(machine, preference);
  return findLavapipe(machine) ?? findSoftwareDriver(machine);
}

/** One line each: browser, driver of the GPU tests, driver of the portability tests, flags. */
export function describeEnvironment(): string[] {
  const machine = thisMachine();
  const chrome = findChrome(machine);
  const lines = [
    `browser tests: ${chrome?.command ?? 'no Chrome found'}`,
    `GPU tests: ${describeDriver(chooseDriver(machine, testPreference()))}`,
    `portability tests: ${describeDriver(portabilityDriver())}`,
  ];
  if (!THOROUGH)
    lines.push(
      `of long rows of like cases every second to fourth one, of properties 3 of 10 runs (${THOROUGH_FLAG}=1: all)`,
    );
  if (allowsNoGpu()) lines.push(`${ALLOW_NO_GPU}=1: tests that find no GPU or browser are skipped.`);
  return lines;
}

function describeDriver(driver: Driver | undefined): string {
  if (driver === undefined) return 'no driver found';
  return driver.manifest === undefined ? driver.name : `${driver.name} (${driver.manifest})`;
}
