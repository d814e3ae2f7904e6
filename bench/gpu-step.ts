/**
 * `npm run bench:step`: times three tasks on the GPU, in headless Chrome or in Node:
 *
 * - a sort of the particles with one push apart
 * - one push on a grid that does not sort the state (gpu-step/unsorted.ts)
 * - a full step
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { BLANK_PAGE, callInPage, startBrowser } from '../scripts/browser';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { measureStep, type StepRequest, type StepResult } from './gpu-step/measure';
import { commitOf } from './shared.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1e6' },
    dimensions: { type: 'string', default: '2,3' },
    repeats: { type: 'string', default: '7' },
    in: { type: 'string', default: 'chrome' },
    json: { type: 'boolean', default: false },
  },
});

const requests = values.count.split(',').flatMap((count) =>
  values.dimensions.split(',').map((dimensions): StepRequest => {
    return { count: Number(count), dimensions: dimensions === '3' ? 3 : 2, repeats: Number(values.repeats) };
  }),
);
const results: StepResult[] = [];
if (values.in === 'node') {
  const { gpu } = await openDawn({ driver: testPreference() });
  for (const request of requests) results.push(await measureStep(request, gpu));
} else {
  const started = await startBrowser();
  const page = await started.browser.newPage();
  await page.goto(new URL(BLANK_PAGE, started.url).href);
  for (const request of requests) {
    results.push(await callInPage(page, 'bench/gpu-step/measure.ts', 'measureStep', [request]));
  }
  await started.close();
}

const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, in ${values.in}`;
if (values.json)
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), results }, undefined, 1)}\n`);
else {
  process.stdout.write(`${machine}\n`);
  for (const result of results) {
    process.stdout.write(
      `\n${result.count} particles, ${result.dimensions}D, ${result.contactsPerParticle.toFixed(2)} contacts and ${result.cellsPerParticle.toFixed(2)} cells per particle, ${result.adapter}\n` +
        `copy bandwidth ${(result.copyBytesPerMs / 1e6).toFixed(2)} GB/s, ${result.memoryPerParticle.toFixed(1)} bytes per particle, cells included\n`,
    );
    for (const name of ['unsorted', 'separate', 'step'] as const) {
      const { median, wall, passes, bytesEquivalent } = result[name];
      const detail = Object.entries(passes.stages).map(([stage, time]) => `${stage} ${time.toFixed(1)}`);
      if (passes.discarded)
        detail.push(`${passes.discarded} discarded, because the device's clock ran backwards`);
      process.stdout.write(
        `  ${name.padEnd(9)} ${median.toFixed(1)} ms (${Math.min(...wall).toFixed(1)} to ${Math.max(...wall).toFixed(1)}), ${bytesEquivalent.toFixed(0)} bytes-equivalent; ${detail.join(', ')}\n`,
      );
    }
    process.stdout.write(
      `  the unsorted grid takes ${(result.unsorted.median / result.separate.median).toFixed(2)} times as long as the sorted grid\n`,
    );
  }
}
process.exit(0);
