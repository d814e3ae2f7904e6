/**
 * Four projects, one after the other, so that the software GPU, which uses every core, has the machine to
 * itself: unit (no GPU), gpu (Dawn in Node), browser (headless Chrome), portability (wgpu in Deno).
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const SECOND = 1000;

/** Forks, not threads: native code sees a changed process.env only in the main thread of a process. */
function project(
  name: string,
  order: number,
  workers: number,
  seconds: number,
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      sequence: { groupOrder: order },
      maxWorkers: workers,
      testTimeout: seconds * SECOND,
      hookTimeout: seconds * SECOND,
    },
  };
}

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    reporters: ['default', './tests/helpers/summary-reporter.ts'],
    teardownTimeout: 20 * SECOND,
    projects: [
      project('unit', 0, 2, 60),
      project('gpu', 1, 1, 180),
      project('browser', 2, 1, 180),
      project('portability', 3, 1, 180),
    ],
  },
});
