/**
 * Purpose: what the tests run on: which browser, which driver, and whether a missing GPU is excused.
 */
import {
  chooseDriver,
  type Driver,
  findChrome,
  findLavapipe,
  findSoftwareDriver,
  thisMachine,
} from '../../src/node/drivers';
import { ALLOW_NO_GPU, allowsNoGpu, testPreference } from '../../src/testing/environment';
import { THOROUGH, THOROUGH_FLAG } from './thorough';

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
