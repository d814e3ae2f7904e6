/**
 * Four projects: unit (no GPU), then gpu (Dawn in Node), so that the software GPU, which uses every core, has the machine
 * to itself, then browser (headless Chrome) and portability (wgpu in Deno) together, since pages wait more than they work.
 * Modules are Node's own, through scripts/loader.mjs: Vite's module runner reaches every import through a getter.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SECOND = 1000;
const REGISTER = new URL('scripts/register.mjs', import.meta.url).href;

/** Large files first, as usual, but before all the one small file that takes minutes: whoever is last works alone. */
class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification) => project.name === 'portability';
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * `isolate`: a process for each file, rather than one for each worker, whose files share a device and its kernels.
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
      experimental: { viteModuleRunner: false, nodeLoader: false },
      execArgv: ['--import', REGISTER],
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
    sequence: { sequencer: Sequencer },
    projects: [
      project('unit', 0, 2, 60, false),
      project('gpu', 1, 2, 180, false),
      project('browser', 2, 2, 300, false),
      project('portability', 2, 2, 420),
    ],
  },
});
