/**
 * `npm run test:mutants`: puts single faults into shaders and sources, and runs the tests that cover each fault. A
 * survivor is a fault that no test noticed. The script skips faults that tests/mutants/equivalents.json lists. It
 * writes tests/mutants/results.json, also if interrupted. An interrupted run, and a run with --only, --again or --rest,
 * keeps the other results. Exits with 1 if there is a survivor. Flags:
 *
 * - --sample 1: a factor for the number of faults. The choice is random, but the same in each run.
 * - --only PART: only faults in files whose paths contain PART
 * - --workers 2: the number of faults that are tried at the same time
 * - --again: only the survivors of the last results
 * - --rest: only faults without a result
 * - --list: prints the faults, and runs nothing
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNoise } from '../src/testing/noise';
import { measureTests } from './mutants/baseline';
import { Coverage } from './mutants/coverage';
import { type Mutant, mutantsOf } from './mutants/mutate';
import { type Verdict, Workshop } from './mutants/trial';

interface Group {
  readonly name: string;
  readonly folders: readonly string[];
  readonly faults: number;
  /** The share of faults that tests should notice. */
  readonly bar: number;
}

const GROUPS: readonly Group[] = [
  { name: 'WGSL grid', folders: ['shaders/grid', 'shaders/base', 'shaders/world'], faults: 60, bar: 0.95 },
  { name: 'WGSL solve', folders: ['shaders/solve', 'shaders/neighbours'], faults: 60, bar: 0.95 },
  { name: 'WGSL query', folders: ['shaders/query'], faults: 60, bar: 0.95 },
  {
    name: 'WGSL other',
    folders: ['levels', 'obstacles', 'measure', 'sort', 'fluid', 'flock', 'pbf'].map(
      (folder) => `shaders/${folder}`,
    ),
    faults: 40,
    bar: 0.9,
  },
  { name: 'core', folders: ['src/core'], faults: 60, bar: 0.9 },
  { name: 'engine', folders: ['src/engine'], faults: 40, bar: 0.9 },
  { name: 'passes', folders: ['src/passes'], faults: 30, bar: 0.9 },
  { name: 'CPU', folders: ['src/cpu'], faults: 60, bar: 0.9 },
  { name: 'fluid', folders: ['src/methods/fluid'], faults: 40, bar: 0.9 },
];

/** A fault that changes no behaviour. `before` and `after` are the trimmed line without and with the fault. */
interface Equivalent {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

const SEED = 22;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'tests/mutants/results.json');
const EQUIVALENTS = join(ROOT, 'tests/mutants/equivalents.json');

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
    again: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const old = existsSync(RESULTS)
  ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as { verdicts: Verdict[] }).verdicts
  : [];
const equivalents = JSON.parse(readFileSync(EQUIVALENTS, 'utf8')) as Equivalent[];

const keyOf = ({ file, before, after }: Pick<Mutant, 'file' | 'before' | 'after'>) =>
  JSON.stringify([file, before.trim(), after.trim()]);
const excused = new Set(equivalents.map(keyOf));
const tried = new Set(old.map(keyOf));
const survivors = new Set(old.filter(({ outcome }) => outcome === 'survived').map(keyOf));

const sample = GROUPS.flatMap((group) => sampleOf(group, Number(values.sample)))
  .filter(({ file }) => file.includes(values.only))
  .filter((mutant) => !values.again || survivors.has(keyOf(mutant)))
  .filter((mutant) => !values.rest || !tried.has(keyOf(mutant)))
  .filter((mutant) => !excused.has(keyOf(mutant)));
if (values.list) {
  for (const { file, line, before, after } of sample)
    process.stdout.write(`${file}:${line}\n- ${before.trim()}\n+ ${after.trim()}\n`);
  process.exit(0);
}

const coverage = new Coverage(ROOT);
const importers = [...new Set(sample.flatMap(({ file }) => coverage.importersOf(file)))];
process.stdout.write(`Running ${importers.length} test files without a fault…\n`);
const baselines = await measureTests(ROOT, importers, Number(values.workers));
const waiting = sample.toReversed();
const verdicts: Verdict[] = [];
const workshops = Array.from({ length: Number(values.workers) }, () => new Workshop(ROOT, baselines));
const interrupt = () => {
  report();
  for (const workshop of workshops) workshop.destroy();
  process.exit(130);
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
try {
  await Promise.all(workshops.map(work));
} finally {
  for (const workshop of workshops) workshop.destroy();
}
process.exit(report() > 0 ? 1 : 0);

/** Writes the results. Returns the number of survivors that are not listed as equivalents. */
function report(): number {
  const isPart = values.again || values.rest || values.only !== '' || verdicts.length < sample.length;
  const renewed = new Set(verdicts.map(keyOf));
  const all = [...verdicts, ...(isPart ? old.filter((verdict) => !renewed.has(keyOf(verdict))) : [])]
    .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line))
    .map(({ seconds: _seconds, ...verdict }) => verdict);
  const left = all.filter((verdict) => verdict.outcome === 'survived' && !excused.has(keyOf(verdict)));
  const table = GROUPS.map(({ name, folders, bar }) => {
    const isOwn = ({ file }: Mutant) => folders.some((folder) => file.startsWith(`${folder}/`));
    const killed = all.filter((verdict) => isOwn(verdict) && verdict.outcome === 'killed').length;
    const invalid = all.filter((verdict) => isOwn(verdict) && verdict.outcome === 'invalid').length;
    const survived = left.filter(isOwn).length;
    const share = Math.round((1000 * killed) / (killed + survived)) / 1000;
    return { group: name, killed, survived, invalid, share, bar };
  }).filter(({ killed, survived }) => killed + survived > 0);
  writeFileSync(RESULTS, `${JSON.stringify({ seed: SEED, table, verdicts: all }, undefined, 1)}\n`);
  process.stdout.write('\nSurvivors:\n');
  for (const { file, line, before, after } of left)
    process.stdout.write(`${file}:${line}\n- ${before.trim()}\n+ ${after.trim()}\n`);
  for (const { group, killed, survived, invalid, share, bar } of table)
    process.stdout.write(
      `${group.padEnd(12)} ${killed} killed, ${survived} survived, ${invalid} invalid: ${(100 * share).toFixed(1)}% (bar ${100 * bar}%)\n`,
    );
  return left.length;
}

async function work(workshop: Workshop): Promise<void> {
  for (let mutant = waiting.pop(); mutant; mutant = waiting.pop()) {
    const tests = coverage.testsOf(mutant, baselines);
    const verdict: Verdict =
      tests.length > 0
        ? await workshop.try(mutant, tests)
        : { ...mutant, outcome: 'survived', by: '', seconds: 0 };
    verdicts.push(verdict);
    process.stdout.write(
      `${verdicts.length}/${sample.length} ${verdict.outcome} ${mutant.file}:${mutant.line} ${verdict.by} (${verdict.seconds} s)\n`,
    );
  }
}

function sampleOf({ folders, faults }: Group, factor: number): Mutant[] {
  const mutants = folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(?:wgsl|ts)$/.test(path) && !/(?:\.d|index)\.ts$/.test(path))
        .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
        .sort(),
    )
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  const noise = createNoise(SEED);
  return mutants
    .map((mutant) => ({ mutant, rank: noise() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, Math.round(factor * faults))
    .map(({ mutant }) => mutant);
}
