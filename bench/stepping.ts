/**
 * `npm run bench:stepping`: compares a particle solver with rigid-body engines. Measures the milliseconds per step of a
 * pile of discs (with `--dimensions 3`, of balls) that falls and settles. The engines solve different problems, so each
 * time comes with the overlaps and the kinetic energy of the last state. `--limit` is in seconds per engine and count.
 * `--threads` (default 1) is for cellstorm alone. Exits with 1 if an engine is not installed or its last state is
 * wrong.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { CellstormError } from '../src/core/base/errors';
import { MAX_THREADS } from '../src/cpu/threads/team';
import { commitOf, round } from './shared.mjs';
import { measureStepping, type SteppingRecord, steppingEngines } from './stepping/measure';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000,5000,20000' },
    dimensions: { type: 'string', default: '2' },
    only: { type: 'string' },
    steps: { type: 'string', default: '240' },
    limit: { type: 'string', default: '60' },
    threads: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

const counts = values.count.split(',').map(Number);
if (!counts.every((count) => Number.isInteger(count) && count > 0 && count <= 1e6)) {
  refuse(`--count is ${values.count}, but it must be whole numbers from 1 to 1000000, separated by commas.`);
}
if (values.dimensions !== '2' && values.dimensions !== '3') {
  refuse(`--dimensions is ${values.dimensions}, but it must be 2 or 3.`);
}
const dimensions = values.dimensions === '2' ? 2 : 3;
const steps = Number(values.steps);
if (!Number.isInteger(steps) || steps < 1) {
  refuse(`--steps is ${values.steps}, but it must be a whole number greater than 0.`);
}
const limit = 1000 * Number(values.limit);
if (!(limit > 0)) refuse(`--limit is ${values.limit}, but it must be a number of seconds greater than 0.`);
const threads = Number(values.threads);
if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
  refuse(`--threads is ${values.threads}, but it must be a whole number from 1 to ${MAX_THREADS}.`);
}
const known = steppingEngines(dimensions).map(({ name }) => name);
const names = values.only?.split(',');
const unknown = names?.find((name) => !known.includes(name));
if (unknown !== undefined)
  refuse(`--only names ${unknown}, but the engines in ${dimensions}D are ${known.join(', ')}.`);

const records: SteppingRecord[] = [];
let failed = false;
for (const count of counts) {
  for (const engine of steppingEngines(dimensions, names)) {
    try {
      const record = await measureStepping({ engine, dimensions, count, steps, limit, threads });
      records.push(record);
      if (record.wrong !== undefined) failed = true;
    } catch (error) {
      if (!(error instanceof CellstormError)) throw error;
      process.stderr.write(`${error.message}\n`);
      failed = true;
    }
  }
}
const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`;
if (values.json) {
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), records }, undefined, 1)}\n`);
} else {
  const lines = records.map((record) => {
    const time = record.wrong ?? `${round(record.median ?? 0)} | ${round(record.p95 ?? 0)}`;
    const overlap = `${round(100 * record.meanOverlap)}% (${round(100 * record.greatestOverlap)}%)`;
    return `| ${record.count} | ${record.engine} | ${record.kind} | ${record.steps} | ${time} | ${record.overlaps} | ${overlap} | ${round(record.kineticEnergy)} |\n`;
  });
  process.stdout.write(
    `A falling pile in a particle solver and in rigid-body engines, in milliseconds per step of 1/60 s: ${machine}\n\n` +
      `| ${dimensions === 2 ? 'discs' : 'balls'} | engine | kind | steps | median | p95 | overlapping pairs | mean overlap (deepest) | energy per body |\n` +
      `|---|---|---|---|---|---|---|---|---|\n${lines.join('')}`,
  );
  const cut = records.some((record) => record.steps < steps);
  if (cut) {
    process.stdout.write(
      `\nRows with fewer than ${steps} steps reached the limit of ${values.limit} s, so their pile is at an earlier stage of the fall. Do not compare them with other rows.\n`,
    );
  }
}
process.exit(failed ? 1 : 0);
