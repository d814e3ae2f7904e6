import { chooseDriver, type Driver, findChrome, thisMachine } from '../../src/node/drivers';
import { denoDriver } from '../../src/testing/deno';
import { ALLOW_NO_GPU, allowsNoGpu, testPreference } from '../../src/testing/environment';
import { seed } from './tiers';

export const portabilityDriver = () => denoDriver('software');

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
