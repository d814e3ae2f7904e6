/**
 * `npm run bench:threads`: compares one thread of the CPU engine with several, in turns. It measures steps of a pile,
 * and building a grid and listing all its pairs. Flags: `--threads` (default 2), `--repeats`, and numbers of particles:
 * `--steps` for the pile, `--pairs` for the grid.
 *
 * Other programs may keep cores busy. So a probe runs before and after each measurement: plain arithmetic in the same
 * number of threads. Its gain is its speed relative to one thread.
 *
 * The last three columns come from processor times, which other programs change less. They are the time of one thread
 * alone, the time of the busiest of several threads, and the time of one alone ÷ the mean time of the several.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createCpuGrid, createCpuSimulation } from '../src/cpu';
import { createScene, sceneOptions } from '../src/scenes';
import { repeat } from '../src/scenes/scene';
import { createNoise } from '../src/testing/noise';
import { commitOf, median, round } from './shared.mjs';
import { busiest, threadTimes } from './threads/cpu-time';
import { openProbe } from './threads/probe';
import { threadsReady } from './threads/ready';

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '1000000' },
    repeats: { type: 'string', default: '15' },
  },
});
const [threads, stepped, paired, repeats] = [values.threads, values.steps, values.pairs, values.repeats].map(
  Number,
) as [number, number, number, number];

for (const [name, value] of Object.entries({ threads, steps: stepped, pairs: paired, repeats })) {
  if (Number.isInteger(value) && value > 0) continue;
  process.stderr.write(`--${name} is ${value}, but it must be a whole number above 0.\n`);
  process.exit(2);
}

const DT = 1 / 60;
/** Steps before the first turn, in which the pile falls and V8 compiles. */
const WARM_STEPS = 20;
const WARM_BUILDS = 4;
/** A turn is quiet if the gain of each of its probes is at least this share of the number of threads. */
const QUIET = 0.9;

interface Contest {
  readonly name: string;
  readonly one: () => void;
  readonly many: () => void;
  readonly end: () => void;
}

async function stepping(dimensions: 2 | 3): Promise<Contest> {
  const options = sceneOptions(createScene('pile', { dimensions, count: stepped }));
  const one = createCpuSimulation(options);
  const many = createCpuSimulation({ ...options, threads });
  await threadsReady(many, threads);
  for (let step = 0; step < WARM_STEPS; step++) for (const each of [one, many]) each.step(DT);
  return {
    name: `${dimensions}D, a step of ${stepped} particles`,
    one: () => one.step(DT),
    many: () => many.step(DT),
    end: () => many.destroy(),
  };
}

async function pairing(dimensions: 2 | 3): Promise<Contest> {
  const next = createNoise(1);
  const side = Math.ceil(paired ** (1 / dimensions));
  const positions = Float32Array.from({ length: dimensions * paired }, () => side * next());
  const box = { min: repeat(0, dimensions), max: repeat(side, dimensions) };
  const options = { dimensions, ...box, diameter: 1, capacity: paired };
  const one = createCpuGrid(options);
  const many = createCpuGrid({ ...options, threads });
  await threadsReady(many, threads);
  const runOf = (grid: typeof one) => () => {
    grid.build(positions);
    grid.collectPairs();
  };
  const contest = { one: runOf(one), many: runOf(many) };
  for (let build = 0; build < WARM_BUILDS; build++) for (const run of Object.values(contest)) run();
  return { name: `${dimensions}D, all pairs of ${paired} particles`, ...contest, end: () => many.destroy() };
}

function time(run: () => void): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}

/** Calls `run`, and adds the processor times of the busiest threads to `sums`. Returns the elapsed milliseconds. */
function charge(run: () => void, sums: number[]): number {
  const before = threadTimes();
  const passed = time(run);
  for (const [index, busy] of busiest(before, threadTimes(), sums.length).entries()) {
    sums[index] = (sums[index] as number) + busy;
  }
  return passed;
}

const ratioOf = (turns: readonly Turn[]) => median(turns.map(({ one, many }) => one / many));

interface Turn {
  readonly one: number;
  readonly many: number;
  readonly gain: number;
}

const probe = await openProbe(threads);
process.stdout.write(
  `One thread and ${threads}, in turn: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}, commit ${commitOf()}\n\n` +
    '| what | turns | one, ms | several, ms | ratio | quiet turns | their ratio | gain of the probe | load | processor time of one | of the busiest | one ÷ mean |\n' +
    '|---|---|---|---|---|---|---|---|---|---|---|---|\n',
);
for (const open of [stepping, pairing]) {
  for (const dimensions of [2, 3] as const) {
    const { name, one, many, end } = await open(dimensions);
    const turns: Turn[] = [];
    const spentAlone = [0];
    const spent = new Array<number>(threads).fill(0);
    for (let turn = 0; turn < repeats; turn++) {
      const before = probe.gain();
      const alone = charge(one, spentAlone);
      const between = probe.gain();
      const together = charge(many, spent);
      turns.push({ one: alone, many: together, gain: Math.min(before, between, probe.gain()) });
    }
    end();
    const quiet = turns.filter(({ gain }) => gain >= QUIET * threads);
    const row = [
      ...[name, repeats, round(median(turns.map((turn) => turn.one)))],
      ...[round(median(turns.map((turn) => turn.many))), round(ratioOf(turns)), quiet.length],
      ...[quiet.length > 0 ? round(ratioOf(quiet)) : '–', round(median(turns.map(({ gain }) => gain)))],
      loadavg()[0]?.toFixed(1),
      ...[round((spentAlone[0] as number) / repeats), round((spent[0] as number) / repeats)],
      round(((spentAlone[0] as number) * threads) / spent.reduce((sum, busy) => sum + busy, 0)),
    ];
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  }
}
probe.end();
