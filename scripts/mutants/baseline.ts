/** Runs the tests without a fault; they must pass. Records the time and the used kernels of each test file. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOf, failureIn, reportOf, startTests } from './run-tests';

export interface Baseline {
  readonly seconds: number;
  /** WGSL lines of the kernels that the test file sets in compute passes. */
  readonly lines: ReadonlySet<string>;
}

const RECORDER = new URL('record.mjs', import.meta.url).href;
const LIMIT_SECONDS = 600;

/** Runs one file per process, because files in a process share compiled kernels. */
export async function measureTests(
  root: string,
  tests: readonly string[],
  workers: number,
): Promise<Map<string, Baseline>> {
  const baselines = new Map<string, Baseline>();
  const waiting = [...tests];
  const work = async () => {
    for (let test = waiting.pop(); test !== undefined; test = waiting.pop())
      baselines.set(test, await measureTest(root, test));
  };
  await Promise.all(Array.from({ length: workers }, work));
  return baselines;
}

async function measureTest(root: string, test: string): Promise<Baseline> {
  const folder = mkdtempSync(join(tmpdir(), 'cellstorm-mutants-'));
  const report = join(folder, 'report.json');
  const kernels = join(folder, 'kernels');
  mkdirSync(kernels);
  const env = {
    CELLSTORM_KERNELS: kernels,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${RECORDER}`,
  };
  try {
    const result = await endOf(
      startTests(root, { tests: [test], isFull: false }, report, [], env),
      LIMIT_SECONDS,
    );
    if (result === 'late') throw new Error(`${test} takes more than ${LIMIT_SECONDS} s without a fault.`);
    if (result === 'failed')
      throw new Error(`A test fails although no fault was put into the code: ${failureIn(report)}`);
    const seconds = reportOf(report).reduce((sum, file) => sum + (file.endTime - file.startTime) / 1000, 0);
    const codes = readdirSync(kernels).map((name) => readFileSync(join(kernels, name), 'utf8'));
    return { seconds, lines: new Set(codes.flatMap((code) => code.split('\n'))) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
