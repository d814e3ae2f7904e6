/**
 * Defines four projects. They run in this order:
 * - unit, without a GPU
 * - gpu, in Node with Dawn. It runs alone, because the software GPU uses every core.
 * - browser (headless Chrome) together with portability (wgpu in Deno), because pages wait more than they compute.
 *
 * Node loads the modules itself through scripts/loader.mjs. Vite's module runner is slower: it replaces every import by
 * a getter.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TIER_VARIABLE, TIERS } from './tests/helpers/tiers.ts';

const SECOND = 1000;
const REGISTER = new URL('scripts/register.mjs', import.meta.url).href;

/** Runs files that take minutes first, because they would otherwise run alone at the end. */
class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project, moduleId }: TestSpecification) =>
      project.name === 'portability' || moduleId.endsWith('/state-hashes.test.ts');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * `isolate` gives each file its own process. Otherwise the files of a worker share a device and its compiled kernels.
 * The pool uses forks, because native code sees a changed process.env only in the main thread of a process.
 */
function project(
  name: string,
  order: number,
  workers: number,
  seconds: number,
  env: Partial<NodeJS.ProcessEnv>,
  isolate = true,
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      // The environment is set here too, because Vitest reads this file again for each project, without --mode.
      env,
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

export default defineConfig(({ mode }) => {
  const env = { [TIER_VARIABLE]: mode };
  return {
    test: {
      environment: 'node',
      env,
      globalSetup: ['tests/helpers/built/run-folder.mjs'],
      setupFiles: ['tests/helpers/setup.ts'],
      tags: Object.entries(TIERS).map(([name, description]) => ({ name, description })),
      pool: 'forks',
      reporters: ['default', './tests/helpers/summary-reporter.ts'],
      teardownTimeout: 20 * SECOND,
      sequence: { sequencer: Sequencer },
      projects: [
        project('unit', 0, 2, 60, env, false),
        project('gpu', 1, 2, 180, env, false),
        project('browser', 2, 2, 300, env, false),
        project('portability', 2, 2, 420, env),
      ],
    },
  };
});
