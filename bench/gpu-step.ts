/**
 * `npm run bench:step`: times tasks on the GPU, in headless Chrome or in Node (`--in node`):
 *
 * - `separate`: a sort of the particles with one push apart
 * - `unsorted`: one push on a grid that does not sort the state (gpu-step/unsorted.ts)
 * - `step`: a step
 * - `exact`: the same step in whole numbers
 *
 * `--only` chooses among them (default: all but `exact`). `--substeps` is the number of substeps per step; times of
 * `step` and `exact` are per substep. `--queue` is the number of runs that are submitted before the host waits. On a
 * real GPU, a run takes less time than the wait, so choose 50 there. `--json FILE` writes a record after each case.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { commitOf } from '../src/cli/commit';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { measureStep, type StepRequest, type StepResult, VARIANTS } from './gpu-step/measure';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1e6' },
    dimensions: { type: 'string', default: '2,3' },
    repeats: { type: 'string', default: '7' },
    queue: { type: 'string', default: '1' },
    substeps: { type: 'string', default: '1' },
    only: { type: 'string', default: 'separate,unsorted,step' },
    in: { type: 'string', default: 'chrome' },
    json: { type: 'string' },
  },
});

const only = values.only.split(',');
const variants = VARIANTS.filter((name) => only.includes(name));
if (only.some((name) => !VARIANTS.some((known) => known === name))) {
  process.stderr.write(`--only is ${values.only}, but it must be a list of ${VARIANTS.join(', ')}.\n`);
  process.exit(2);
}

const requests = values.count.split(',').flatMap((count) =>
  values.dimensions.split(',').map(
    (dimensions): StepRequest => ({
      count: Number(count),
      dimensions: dimensions === '3' ? 3 : 2,
      repeats: Number(values.repeats),
      queue: Number(values.queue),
      substeps: Number(values.substeps),
      variants,
    }),
  ),
);

const machine = () =>
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, in ${values.in}`;
const results: StepResult[] = [];
const { measure, close } = values.in === 'node' ? await inNode() : await inChrome();
process.stdout.write(`${machine()}\n`);
let failures = 0;
for (const request of requests) {
  const result = await measure(request).catch((error: unknown) => {
    process.stderr.write(
      `\n${request.count} particles, ${request.dimensions}D: ${(error as Error).message}\n`,
    );
    failures++;
  });
  if (!result) continue;
  results.push(result);
  print(result);
  if (values.json === undefined) continue;
  const record = { machine: machine(), commit: commitOf(), results };
  writeFileSync(values.json, `${JSON.stringify(record, undefined, 1)}\n`);
}
await close();
process.exit(failures > 0 ? 1 : 0);

interface Place {
  measure(request: StepRequest): Promise<StepResult>;
  close(): Promise<void>;
}

async function inNode(): Promise<Place> {
  const { gpu } = await openDawn({ driver: testPreference() });
  return { measure: (request) => measureStep(request, gpu), close: async () => undefined };
}

async function inChrome(): Promise<Place> {
  // Import the browser only here, because `--in node` must work without it.
  const { BLANK_PAGE, callInPage, startBrowser } = await import('../scripts/browser');
  const started = await startBrowser();
  const page = await started.browser.newPage();
  await page.goto(new URL(BLANK_PAGE, started.url).href);
  return {
    measure: (request) => callInPage(page, 'bench/gpu-step/measure.ts', 'measureStep', [request]),
    close: () => started.close(),
  };
}

function print(result: StepResult): void {
  process.stdout.write(
    `\n${result.count} particles, ${result.dimensions}D, ${result.contactsPerParticle.toFixed(2)} contacts and ${result.cellsPerParticle.toFixed(2)} cells per particle, ${result.adapter}\n` +
      `copy bandwidth ${(result.copyBytesPerMs / 1e6).toFixed(2)} GB/s, ${result.memoryPerParticle.toFixed(1)} bytes per particle, cells included\n`,
  );
  for (const [name, { median, wall, host, passes, bytesEquivalent }] of Object.entries(result.timings)) {
    const detail = Object.entries(passes.stages).map(([stage, time]) => `${stage} ${time.toPrecision(3)}`);
    if (passes.discarded)
      detail.push(`${passes.discarded} discarded, because the device's clock ran backwards`);
    process.stdout.write(
      `  ${name.padEnd(9)} ${median.toPrecision(4)} ms (${Math.min(...wall).toPrecision(4)} to ${Math.max(...wall).toPrecision(4)}), ${bytesEquivalent.toFixed(0)} bytes-equivalent, host ${host.toPrecision(3)}; ${detail.join(', ')}\n`,
    );
  }
  const { separate, unsorted, step, exact } = result.timings;
  if (separate && unsorted)
    process.stdout.write(
      `  the unsorted grid takes ${(unsorted.median / separate.median).toFixed(2)} times as long as the sorted grid\n`,
    );
  if (step && exact)
    process.stdout.write(
      `  the exact step takes ${(exact.median / step.median).toFixed(2)} times as long as the step in floats\n`,
    );
}
