/** Runs the benchmark in a worker. Posts the choices, then runs each plan that the page sends. */

import { nameAdapter } from '../../src/gpu/adapter-name';
import { nextTask } from '../../src/page/support/save';
import { explain, explainMissingGpu } from '../../src/page/view/engine';
import { CPU_ENGINES } from '../engines/cpu';
import { GPU_ENGINES } from '../engines/gpu';
import { openWholeGpu } from '../harness/device';
import type { Engine } from '../harness/engine';
import type { Machine } from '../harness/record';
import { BenchStopped, runBench } from '../harness/run';
import { BENCH_SCENES } from '../harness/scenes';
import type { Answer, NamedPlan, Question } from './messages';

/** The list leaves out npm packages, because they would be most of the page's size. */
const ENGINES: readonly Engine[] = [...GPU_ENGINES, ...CPU_ENGINES];

let stopping = false;

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  if (data.kind === 'stop') stopping = true;
  else run(data.plan);
});

// The page waits for this lock, so it notices if the browser ends the worker. Insecure contexts have no locks.
navigator.locks?.request(self.name, () => {
  say({ kind: 'locked' });
  return new Promise(() => undefined);
});
offer();

async function offer(): Promise<void> {
  say({
    kind: 'choices',
    engines: ENGINES.map(({ name, about, backend, byDefault = true }) => ({
      name,
      about,
      backend,
      byDefault,
    })),
    scenes: BENCH_SCENES.map(({ name, about, dimensions }) => ({ name, about, dimensions })),
    missingGpu: await findMissingGpu(),
  });
}

async function findMissingGpu(): Promise<string | undefined> {
  try {
    (await openWholeGpu(navigator.gpu, 2)).destroy();
    return undefined;
  } catch (error) {
    return explainMissingGpu(error);
  }
}

async function run(plan: NamedPlan): Promise<void> {
  stopping = false;
  let adapter: Pick<Machine, 'adapter' | 'driver'> = {};
  try {
    const engines = ENGINES.filter(({ name }) => plan.engines.includes(name));
    await runBench(
      { ...plan, engines },
      {
        openGpu: async (dimensions) => {
          const gpu = await openWholeGpu(navigator.gpu, dimensions);
          adapter = { adapter: nameAdapter(gpu.info), driver: gpu.info?.description };
          return gpu;
        },
        onProgress: (done, total, what) => say({ kind: 'progress', done, total, what }),
        onOutcome: (outcome, measured) =>
          say({ kind: 'outcome', outcome, machine: { ...measured, ...adapter } }),
        breathe: async () => {
          await nextTask();
          if (stopping) throw new BenchStopped();
        },
      },
    );
    say({ kind: 'ended', stopped: stopping });
  } catch (error) {
    say({ kind: 'failed', reason: explain(error) });
  }
}

function say(answer: Answer): void {
  postMessage(answer);
}
