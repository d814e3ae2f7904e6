/** Describes what the tests run on: the browser, the GPU drivers and the flags. */
import {
  chooseDriver,
  type Driver,
  findChrome,
  findLavapipe,
  findSoftwareDriver,
  thisMachine,
} from '../../src/node/drivers';
import { ALLOW_NO_GPU, allowsNoGpu, testPreference } from '../../src/testing/environment';
import { seed } from './tiers';

/** The driver for wgpu: Mesa's lavapipe if it is installed, so that the tests cover a second driver. */
export function portabilityDriver(): Driver | undefined {
  const machine = thisMachine();
  const preference = testPreference();
  if (preference !== 'software') return chooseDriver(machine, preference);
  return findLavapipe(machine) ?? findSoftwareDriver(machine);
}

export function describeEnvironment(tier: unknown): string[] {
  const machine = thisMachine();
  const chrome = findChrome(machine);
  const lines = [
    `browser tests: ${chrome?.command ?? 'no Chrome found'}`,
    `GPU tests: ${describeDriver(chooseDriver(machine, testPreference()))}`,
    `portability tests: ${describeDriver(portabilityDriver())}`,
  ];
  lines.push(`tier: ${tier === 'all' ? 'all tests' : 'the default tests; npm run test:all runs all'}`);
  lines.push(`seed of the random cases: ${seed}`);
  if (allowsNoGpu()) lines.push(`${ALLOW_NO_GPU}=1: tests that find no GPU or browser are skipped.`);
  return lines;
}

function describeDriver(driver: Driver | undefined): string {
  if (driver === undefined) return 'no driver found';
  return driver.manifest === undefined ? driver.name : `${driver.name} (${driver.manifest})`;
}
