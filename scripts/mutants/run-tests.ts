/** Runs Vitest in a process of its own, with a time limit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

/** If `isFull` is true, the tests run in the full tier. */
export interface Batch {
  readonly tests: readonly string[];
  readonly isFull: boolean;
}

export function startTests(
  folder: string,
  { tests, isFull }: Batch,
  report: string,
  options: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  rmSync(report, { force: true });
  const mode = isFull ? ['--mode', 'all'] : [];
  const output = ['--reporter=json', `--outputFile=${report}`];
  return spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...mode, ...output, ...options, ...tests],
    { cwd: folder, stdio: 'ignore', detached: true, env: { ...process.env, CI: '1', ...env } },
  );
}

/** Waits until the tests end. After `limit` seconds, ends them. */
export function endOf(tests: ChildProcess, limit: number): Promise<'passed' | 'failed' | 'late'> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(tests);
    }, 1000 * limit);
    tests.on('error', reject);
    tests.on('exit', (code) => {
      clearTimeout(timer);
      resolve(isLate ? 'late' : code === 0 ? 'passed' : 'failed');
    });
  });
}

/** Ends Vitest and its workers, which are in one process group. */
export function killGroup(tests: ChildProcess): void {
  process.kill(-(tests.pid as number), 'SIGKILL');
}

export interface FileReport {
  name: string;
  message: string;
  startTime: number;
  endTime: number;
  assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
}

export function reportOf(path: string): FileReport[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { testResults: FileReport[] }).testResults;
}

const fileOf = (name: string) => name.replace(/^.*?\/(?=tests\/)/, '');

export function failureIn(report: string): string {
  try {
    for (const { name, message, assertionResults } of reportOf(report)) {
      const failed = assertionResults.find(({ status }) => status === 'failed');
      if (failed) return `${fileOf(name)}: ${failed.fullName}\n${failed.failureMessages.join('\n')}`;
      if (message) return `${fileOf(name)}\n${message}`;
    }
  } catch {
    // If there is no report, the process died.
  }
  return 'the process of the tests died';
}
