/**
 * `npm run bench:mixed`: times building a grid and finding all pairs, on the CPU engine and on the GPU in Node. On the
 * GPU, also times a sort with one push apart. Compares particles of different radii with as many particles of one
 * radius, which have about as many contacts. The environment variable CELLSTORM_DRIVER chooses the driver.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openDawn } from '../src/node/dawn';
import { testPreference } from '../src/testing/environment';
import { bundle, commitOf } from './shared.mjs';
import type { RadiiRequest, RadiiRow } from './variable-radii/measure';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1e5' },
    dimensions: { type: 'string', default: '2,3' },
    repeats: { type: 'string', default: '11' },
    engines: { type: 'string', default: 'cpu,gpu' },
    json: { type: 'boolean', default: false },
  },
});

const requests = values.dimensions.split(',').map((dimensions): RadiiRequest => {
  return {
    dimensions: dimensions === '3' ? 3 : 2,
    count: Number(values.count),
    repeats: Number(values.repeats),
  };
});
if (!requests.every(({ count, repeats }) => Number.isInteger(count) && count > 0 && repeats >= 1)) {
  process.stderr.write(
    `--count is ${values.count} and --repeats is ${values.repeats}; --count must be a whole number greater than 0, --repeats at least 1.\n`,
  );
  process.exit(2);
}

const { measure } = await bundle<{ measure: typeof import('./variable-radii/measure') }>({
  measure: 'bench/variable-radii/measure.ts',
});
const dawn = values.engines.includes('gpu') ? await openDawn({ driver: testPreference() }) : undefined;
const rows: RadiiRow[] = [];
for (const request of requests) rows.push(...(await measure.measureRadii(request, dawn?.gpu)));

const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}${dawn ? `, GPU: ${dawn.driver}` : ''}`;
if (values.json) {
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), rows }, undefined, 1)}\n`);
} else {
  const lines = rows.map(
    ({ dimensions, engine, particles, order, pairs, bytes, least, median, timesEqual }) =>
      `| ${dimensions}D | ${engine} | ${particles} | ${order} | ${pairs} | ${bytes.toFixed(0)} | ${least.toPrecision(3)} | ${median.toPrecision(3)} | ${timesEqual.toFixed(2)} |\n`,
  );
  process.stdout.write(
    `${values.count} particles, a build and all pairs (push: a sort and one push apart), ${values.repeats} timed rounds: ${machine}\n\n` +
      '| | engine | particles | order | pairs | bytes per particle | least ms | median ms | relative to equal |\n' +
      `|---|---|---|---|---|---|---|---|---|\n${lines.join('')}`,
  );
}
process.exit(0);
