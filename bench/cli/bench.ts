/**
 * `cellstorm bench`: times broad phases on fixed scenes, and checks their pairs before and after timing. Outputs:
 *
 * - stdout: a table, JSON or CSV
 * - stderr, with --baseline: changes since an earlier record
 * - a file, with --out: the record, written after each case
 *
 * Exits with 1 if an engine found wrong pairs or failed, or if --out could not be written at the end.
 */
import { access, constants, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { version } from '../../package.json';
import {
  type Flags,
  type Given,
  HELP_FLAG,
  oneOf,
  parseFlags,
  realNumber,
  SEED_FLAG,
  severalOf,
  UsageError,
  wholeNumber,
  wholeNumbers,
} from '../../src/cli/arguments';
import { describeAdapter, type GpuHost } from '../../src/cli/backend';
import { commitOf } from '../../src/cli/commit';
import { Progress, widthOf } from '../../src/cli/output';
import { CellstormError } from '../../src/core/base/errors';
import { MAX_PARTICLES } from '../../src/core/simulation/ids';
import { LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../src/core/world/world';
import { openDawn } from '../../src/node/dawn';
import { listEngines } from '../engines';
import { openWholeGpu } from '../harness/device';
import { BACKENDS, type Engine } from '../harness/engine';
import { readInput } from '../harness/input';
import {
  type BenchRecord,
  FORMAT,
  FORMAT_VERSION,
  type Outcome,
  parseRecord,
  toCsv,
} from '../harness/record';
import { type BenchHost, type BenchPlan, type BenchResult, casesOf, runBench } from '../harness/run';
import { BENCH_SCENE_NAMES, type BenchSceneDefinition } from '../harness/scenes';
import { describeChanges } from './changes';
import { describeChoices, describeRecord } from './table';

const ENGINE_NAMES = listEngines().map(({ name }) => name);

const DEFAULT_COUNTS = [1000, 10_000, 100_000];
const DEFAULT_SCENES = ['uniform'];
const DEFAULT_REPEAT = 9;
const DEFAULT_LIMIT_SECONDS = 5;
const MOST_LIMIT_SECONDS = 3600;

export const BENCH_FLAGS: Flags = {
  list: { help: 'print the engines and scenes, and run nothing' },
  only: {
    value: 'engine,…',
    help: 'engines to run, or all (default all but those that need --only or a program); see --list',
  },
  scene: { value: 'name,…', help: `scenes to run, or all (default ${DEFAULT_SCENES}); see --list` },
  input: {
    value: 'file',
    help: 'run on the bodies of this file instead of --scene: a .csv with columns x, y, perhaps z and radius, or plain 32-bit floats',
  },
  radius: { value: 'r', help: 'radius of the bodies of --input, if it has no sizes (default 0.5)' },
  count: {
    value: 'n,…',
    help: `numbers of bodies, at least 0 (1 if --input is given), such as 1e6 (default ${DEFAULT_COUNTS}; all bodies of --input if it is given)`,
  },
  dimensions: { value: '2|3|2,3', help: 'dimensions to run (default 2)' },
  backend: { value: 'gpu|cpu|gpu,cpu', help: 'backends whose engines run (default gpu,cpu)' },
  repeat: { value: 'n', help: `timed rounds, 3 to 1000 (default ${DEFAULT_REPEAT})` },
  limit: {
    value: 'seconds',
    help: `time limit of one build and query; slower engines are skipped or stopped; 1 to ${MOST_LIMIT_SECONDS} (default ${DEFAULT_LIMIT_SECONDS})`,
  },
  native: {
    value: 'program',
    help: 'path of the compiled cuda-grid (bench/native); without it, the cuda engines are left out',
  },
  seed: SEED_FLAG,
  json: { help: 'print the record as JSON instead of the table' },
  csv: { help: 'print the outcomes as CSV instead of the table' },
  out: { value: 'record.json', help: 'also write the record to this file, after each case' },
  baseline: {
    value: 'record.json',
    help: 'print which engines are faster or slower than in this record, beyond the noise, and which times are missing',
  },
  help: HELP_FLAG,
};

export async function bench(argv: readonly string[]): Promise<number> {
  const given = parseFlags('bench', BENCH_FLAGS, argv);
  if (given.has('list')) {
    process.stdout.write(describeChoices(enginesOf(given), widthOf(process.stdout)));
    return 0;
  }
  if (given.has('json') && given.has('csv')) {
    throw new UsageError(
      '--json and --csv both choose what is printed; give only one of them, and use --out for a file.',
    );
  }
  const native = given.get('native');
  if (native !== undefined) await checkRunnable(native);
  const plan = planOf(given, await inputOf(given));
  const baseline = await readBaseline(given.get('baseline'));
  const out = given.get('out');
  if (out !== undefined) await checkWritable(out);
  const load = loadavg()[0];
  const { seed, repeat, limit } = plan;
  const about = { format: FORMAT, formatVersion: FORMAT_VERSION, version, commit: commitOf() } as const;
  const settings = { began: new Date().toISOString(), seed, repeat, limit };
  const progress = new Progress('runs', casesOf(plan).length * plan.engines.length);
  let opened: GpuHost | undefined;
  const recordOf = ({ outcomes, measured }: BenchResult, ended?: string): BenchRecord => ({
    ...about,
    ...settings,
    ended,
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: cpus().length,
      runtime: `Node ${process.version}`,
      load,
      adapter: opened && describeAdapter(opened),
      driver: opened?.gpu.info?.description,
      flags: opened?.dawn.flags,
      ...measured,
    },
    outcomes,
  });
  const host: BenchHost = {
    openGpu: async (dimensions) => {
      const dawn = await openDawn();
      opened = { dawn, gpu: await openWholeGpu(dawn.gpu, dimensions) };
      return opened.gpu;
    },
    onProgress: (done, _total, what) => progress.show(done, what),
    // A full disk may have free space later, so the run continues.
    onCase: async (result) => {
      if (out === undefined) return;
      await writeRecord(out, recordOf(result)).catch(({ code }: NodeJS.ErrnoException) => {
        progress.end();
        process.stderr.write(`--out is ${out}, but it cannot be written now (${code}); the run continues.\n`);
      });
    },
  };
  const result = await runBench(plan, host).finally(() => progress.end());
  const { outcomes } = result;
  const record = recordOf(result, new Date().toISOString());
  if (given.has('json')) process.stdout.write(textOf(record));
  else if (given.has('csv')) process.stdout.write(toCsv(outcomes));
  else process.stdout.write(describeRecord(record, widthOf(process.stdout)));
  if (baseline) process.stderr.write(describeChanges(baseline, record, widthOf(process.stderr)));
  if (out !== undefined) {
    await writeRecord(out, record).catch(({ code }: NodeJS.ErrnoException) => {
      throw new CellstormError(`--out is ${out}, but it could not be written (${code}).`);
    });
  }
  return exitCodeOf(outcomes);
}

export function exitCodeOf(outcomes: readonly Outcome[]): number {
  return outcomes.some(({ status }) => status === 'wrong' || status === 'failed') ? 1 : 0;
}

/** Makes the path of --native absolute, because a bare file name would be searched for in PATH. */
function enginesOf(given: Given): readonly Engine[] {
  const native = given.get('native');
  return listEngines(native === undefined ? undefined : resolve(native));
}

async function inputOf(given: Given): Promise<BenchSceneDefinition | undefined> {
  const path = given.get('input');
  const radius = realNumber(given, 'radius');
  if (path === undefined) {
    if (radius !== undefined) throw new UsageError('--radius belongs to --input, which is missing.');
    return undefined;
  }
  if (given.has('scene')) {
    throw new UsageError('--scene and --input both choose the bodies; give only one of them.');
  }
  if (radius !== undefined && !(radius >= SMALLEST_DIAMETER / 2 && radius <= LARGEST_DIAMETER / 2)) {
    throw new UsageError(`--radius is ${given.get('radius')}, but it must be a number from 2^-41 to 2^59.`);
  }
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--input is ${path}, which cannot be read (${error.code}).`);
  });
  const asked = oneOf(given, 'dimensions', ['2', '3'] as const);
  const dimensions = asked === undefined ? undefined : asked === '3' ? 3 : 2;
  return readInput(bytes, { name: basename(path), dimensions, radius });
}

function planOf(given: Given, input: BenchSceneDefinition | undefined): BenchPlan {
  const backends = severalOf(given, 'backend', BACKENDS) ?? BACKENDS;
  const only = severalOf(given, 'only', ['all', ...ENGINE_NAMES]);
  const engines = enginesOf(given).filter(
    ({ name, backend, absent, byDefault = true }) =>
      backends.includes(backend) &&
      (only?.includes(name) || (absent === undefined && (only ? only.includes('all') : byDefault))),
  );
  if (engines.length === 0) {
    throw new UsageError(
      `--only is ${given.get('only')}, but none of these runs on --backend ${given.get('backend')}.`,
    );
  }
  const scenes = severalOf(given, 'scene', ['all', ...BENCH_SCENE_NAMES]) ?? DEFAULT_SCENES;
  const dimensions = severalOf(given, 'dimensions', ['2', '3'] as const) ?? ['2'];
  const named = scenes.includes('all') ? BENCH_SCENE_NAMES : scenes;
  return {
    engines,
    scenes: input ? [input] : named,
    dimensions: input?.dimensions ?? dimensions.map((text) => (text === '3' ? 3 : 2)),
    counts:
      wholeNumbers(given, 'count', input ? 1 : 0, input?.most ?? MAX_PARTICLES) ??
      (input?.most === undefined ? DEFAULT_COUNTS : [input.most]),
    seed: wholeNumber(given, 'seed', 0, 2 ** 32 - 1) ?? 1,
    repeat: wholeNumber(given, 'repeat', 3, 1000) ?? DEFAULT_REPEAT,
    limit: 1000 * (wholeNumber(given, 'limit', 1, MOST_LIMIT_SECONDS) ?? DEFAULT_LIMIT_SECONDS),
  };
}

async function readBaseline(path: string | undefined): Promise<BenchRecord | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--baseline is ${path}, which cannot be read (${error.code}).`);
  });
  return parseRecord('baseline', text);
}

async function checkRunnable(path: string): Promise<void> {
  await access(path, constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--native is ${path}, which cannot be run (${error.code}).`);
  });
}

/** Tries to write a file, because a system may also protect a folder by other means than permissions. */
async function checkWritable(path: string): Promise<void> {
  const about = await stat(path).catch(() => undefined);
  if (about && !about.isFile()) throw new UsageError(`--out is ${path}, but it must be a file.`);
  try {
    await writeFile(partOf(path), '');
    await rm(partOf(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out is ${path}, but ${dirname(path)} cannot be written to (${code}).`);
  }
}

function partOf(path: string): string {
  return `${path}.${process.pid}.part`;
}

function textOf(record: BenchRecord): string {
  return `${JSON.stringify(record, undefined, 1)}\n`;
}

/** Replaces the file in one step, so that a reader never finds an incomplete record. */
async function writeRecord(path: string, record: BenchRecord): Promise<void> {
  const part = partOf(path);
  try {
    await writeFile(part, textOf(record));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
