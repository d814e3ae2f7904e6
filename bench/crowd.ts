/**
 * `npm run bench:crowd`: times steps on the GPU in Node, with the option `crowds` and all particles in one cell.
 * CELLSTORM_DRIVER names a driver. Exits with 1 if the number of pairs is wrong, if two equal runs end with different
 * bits, or if the GPU reported an error.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { StageTimes } from '../src/core/base/stage-times';
import type { ParticleArrays } from '../src/core/simulation/simulation';
import { HashGrid } from '../src/engine/grid/hash-grid';
import { createSimulation, type Simulation } from '../src/engine/simulation/simulation';
import { createBuffers } from '../src/gpu/buffers';
import { type Gpu, requestGpu } from '../src/gpu/device';
import { toStored } from '../src/gpu/layout';
import { openDawn } from '../src/node/dawn';
import { Random } from '../src/scenes';
import { testPreference } from '../src/testing/environment';
import { commitOf } from './shared.mjs';

const DT = 1 / 64;
const RADIUS = 0.5;
/** Edge of the box that contains all particles. Its diagonal is less than a diameter, so all particles overlap. */
const EDGE = 0.5;
/** Coordinates are multiples of EDGE / 512, which floats hold exactly, so that rounding decides no count. */
const STEPS_PER_EDGE = 512;
/** The capacity of the list of pairs. The list also counts pairs that do not fit. */
const LISTED = 1024;
/** A list reports this number if 32 bits cannot count its pairs. */
const UNCOUNTABLE = 2 ** 32 - 1;

/** Times are in milliseconds. `step` and `separate` are the better of two runs (see `repeat`). */
interface Row {
  readonly dimensions: 2 | 3;
  readonly count: number;
  readonly pairs: number;
  readonly measure: number;
  /** Time to create a grid and its list of contacts, to fill the list and to read its count. */
  readonly list: number;
  readonly step: number;
  readonly separate: number;
  /** Time of the step without its passes over contacts. */
  readonly order: number;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2e4' },
    dimensions: { type: 'string', default: '2,3' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.count);
if (!Number.isInteger(count) || count < 1) {
  process.stderr.write(`--count is ${values.count}, but it must be a whole number greater than 0.\n`);
  process.exit(2);
}
const spaces = values.dimensions.split(',');
if (!spaces.every((dimensions) => dimensions === '2' || dimensions === '3')) {
  process.stderr.write(`--dimensions is ${values.dimensions}, but it must be 2, 3 or 2,3.\n`);
  process.exit(2);
}

const world = (dimensions: 2 | 3) => {
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  return { dimensions, min: all(0), max: all(3), crowds: true };
};

function crowd(dimensions: 2 | 3): Float32Array {
  const random = new Random(1);
  const low = 1.5 - EDGE / 2;
  return Float32Array.from(
    { length: dimensions * count },
    () => low + (EDGE * random.between(0, STEPS_PER_EDGE - 1)) / STEPS_PER_EDGE,
  );
}

async function timed<Result>(use: () => Promise<Result>): Promise<readonly [Result, number]> {
  const began = performance.now();
  const result = await use();
  return [result, performance.now() - began];
}

function expectEqual(what: string, got: number, expected: number): void {
  if (got === expected) return;
  process.stderr.write(`${what}: ${got} instead of ${expected}.\n`);
  process.exit(1);
}

async function findContacts(gpu: Gpu, dimensions: 2 | 3, positions: Float32Array): Promise<number> {
  const grid = await HashGrid.create(gpu, { ...world(dimensions), diameter: 2 * RADIUS, capacity: count });
  const packed = toStored(dimensions, positions);
  const { buffers, destroy } = await createBuffers(gpu, 'bench', { positions: packed.byteLength });
  gpu.device.queue.writeBuffer(buffers.positions, 0, packed);
  const list = await grid.pairs({ capacity: LISTED });
  const encoder = gpu.device.createCommandEncoder({ label: 'bench' });
  grid.encode(encoder, { positions: buffers.positions, count });
  list.encode(encoder);
  gpu.device.queue.submit([encoder.finish()]);
  const { found } = await list.read();
  grid.destroy();
  destroy();
  return found;
}

/** Runs twice and requires equal bits. Returns the better times. */
async function repeat(
  what: string,
  simulation: Simulation,
  run: () => Promise<StageTimes>,
): Promise<StageTimes> {
  const start = await simulation.checkpoint();
  const times: StageTimes[] = [];
  const ends: ParticleArrays[] = [];
  for (let round = 0; round < 2; round++) {
    simulation.restore(start);
    times.push(await run());
    ends.push(await simulation.read());
  }
  simulation.restore(start);
  for (const name of ['positions', 'velocities'] as const) {
    const [one, other] = ends.map((end) => new Uint32Array(end[name].slice().buffer)) as [
      Uint32Array,
      Uint32Array,
    ];
    const differing = one.reduce((sum, word, index) => sum + (word === other[index] ? 0 : 1), 0);
    expectEqual(`words of ${name} that differ between two runs of ${what}`, differing, 0);
  }
  // Prefer the run with fewer missing times, because missing times make a run look faster.
  const missing = ({ discarded = 0 }: StageTimes) => discarded;
  return times.reduce((least, one) =>
    missing(one) < missing(least) || (missing(one) === missing(least) && one.total < least.total)
      ? one
      : least,
  );
}

async function measureCrowd(dimensions: 2 | 3, provider: GPU): Promise<Row> {
  const gpu = await requestGpu({ particles: count, cells: 1024, dimensions, gpu: provider });
  const scopes = ['validation', 'out-of-memory', 'internal'] as const;
  for (const scope of scopes) gpu.device.pushErrorScope(scope);
  const positions = crowd(dimensions);
  const pairs = (count * (count - 1)) / 2;
  const simulation = await createSimulation(gpu, {
    ...world(dimensions),
    radius: RADIUS,
    positions,
    substeps: 1,
  });
  const [measures, measure] = await timed(() => simulation.measure());
  expectEqual('candidates', measures.candidates, pairs);
  expectEqual('contacts', measures.contacts, pairs);
  expectEqual('borderline', measures.borderline, 0);
  expectEqual('particles in the fullest cell', measures.greatestOccupancy, count);
  const [found, list] = await timed(() => findContacts(gpu, dimensions, positions));
  expectEqual('pairs found', found, Math.min(pairs, UNCOUNTABLE));
  const step = await repeat('a step', simulation, () => simulation.profile(DT));
  const separate = await repeat('separate(1)', simulation, () => simulation.profileSeparate(1));
  for (const _ of scopes) {
    const error = await gpu.device.popErrorScope();
    if (!error) continue;
    process.stderr.write(`The GPU reported: ${error.message}\n`);
    process.exit(1);
  }
  const { resolve = 0, partner = 0 } = step.stages;
  simulation.destroy();
  gpu.destroy();
  return {
    dimensions,
    count,
    pairs,
    measure,
    list,
    step: step.total,
    separate: separate.total,
    order: step.total - resolve - partner,
  };
}

const { gpu: provider, driver } = await openDawn({ driver: testPreference() });
const rows: Row[] = [];
for (const dimensions of spaces) {
  rows.push(await measureCrowd(dimensions === '3' ? 3 : 2, provider));
}
const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, GPU: ${driver}`;
if (values.json) {
  process.stdout.write(`${JSON.stringify({ machine, commit: commitOf(), rows }, undefined, 1)}\n`);
} else {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toPrecision(3);
  const lines = rows.map(
    (row) =>
      `| ${row.dimensions}D | ${row.count} | ${row.pairs} | ${[row.order, row.step, row.separate, row.list, row.measure].map(seconds).join(' | ')} |\n`,
  );
  process.stdout.write(
    `${machine}\nTimes in seconds. Step and separate: the faster of two runs.\n\n` +
      '| | particles | pairs | step without contacts | step | separate | list | measure |\n' +
      `|---|---|---|---|---|---|---|---|\n${lines.join('')}`,
  );
}
process.exit(0);
