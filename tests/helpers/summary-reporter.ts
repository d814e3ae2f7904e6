/**
 * Prints the environment when a test run starts. When it ends, prints a summary that programs can read, as the last
 * line. Files that do not load and errors outside tests count as failed tests.
 */
import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';
import { describeEnvironment } from './environment';
import { TIER_VARIABLE } from './tiers';

const STDOUT = 1;

export default class SummaryReporter implements Reporter {
  onInit({ config }: Vitest): void {
    for (const line of describeEnvironment(config.env[TIER_VARIABLE])) process.stdout.write(`${line}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandled.length;
    let skipped = 0;
    for (const module of modules) {
      const before = failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'skipped') skipped++;
        else failed++;
      }
      if (failed === before && !module.ok()) failed++;
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Print it at exit, so that nothing comes after it.
    process.once('exit', () => writeSync(STDOUT, `\n${line}\n`));
  }
}
