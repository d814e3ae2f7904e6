/**
 * Four projects: unit (no GPU), gpu (Dawn in Node), browser (headless Chrome), portability (wgpu in Deno). `npm test` runs
 * gpu in one process and the others beside it: unit first, then pages and portability together, since pages wait more than
 * they work. In one run of all, gpu comes first, so that the software GPU, which uses every core, has them.
 */
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const SECOND = 1000;

/**
 * `isolate`: a process for each file, rather than one for all, in which they share a device and its kernels.
 * Forks, not threads: native code sees a changed process.env only in the main thread of a process.
 */
function project(
  name: string,
  order: number,
  workers: number,
  seconds: number,
  isolate = true,
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      sequence: { groupOrder: order },
      maxWorkers: workers,
      isolate,
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
      // One core for the GPU tests beside them.
      project('unit', 1, Math.max(1, availableParallelism() - 1), 60),
      project('gpu', 0, 1, 300, false),
      // Limits, so that nothing hangs: beside the GPU tests these take twice as long as alone.
      project('browser', 2, 2, 300),
      project('portability', 2, 2, 420),
    ],
  },
});
