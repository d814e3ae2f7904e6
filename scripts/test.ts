/**
 * Purpose: `npm test`: all tests, in two runs of vitest side by side. Those on the GPU take turns in one process, since a
 * software GPU takes minutes to compile for each that asks; it leaves part of a second core idle, which the others use.
 * With arguments, one run, with these: `npm test -- tests/unit/hash.test.ts`.
 * Output: what both say, line by line; at last, alone on its line, `N passed, N failed` (and `, N skipped`) of both.
 * Status: 0 where both are, and nothing failed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

const RUNS: readonly (readonly string[])[] = [['gpu'], ['unit', 'browser', 'portability']];

/** As tests/helpers/summary-reporter.ts writes it. */
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

interface Outcome {
  readonly status: number;
  /** Passed, failed, skipped; undefined where a run ended before it could say. */
  readonly counts?: readonly number[] | undefined;
}

const running = new Set<ChildProcess>();

function start(options: readonly string[], stdout: 'pipe' | 'inherit'): ChildProcess {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [VITEST, 'run', ...options], {
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, ...colours },
  });
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

function finish(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    let counts: readonly number[] | undefined;
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const summary = SUMMARY.exec(line);
        if (summary) counts = summary.slice(1).map((count) => Number(count ?? 0));
        else process.stdout.write(`${line}\n`);
      });
    }
    child.on('error', ({ message }) => {
      process.stdout.write(`${message}\n`);
      resolve({ status: 1 });
    });
    child.on('close', (status) => resolve({ status: status ?? 1, counts }));
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
  });
}

async function runAll(): Promise<number> {
  const children = RUNS.map((names) =>
    start(
      names.flatMap((name) => ['--project', name]),
      'pipe',
    ),
  );
  const outcomes = await Promise.all(children.map(finish));
  const [passed = 0, failed = 0, skipped = 0] = [0, 1, 2].map((place) =>
    // A run that ends without a word has failed.
    outcomes.reduce((sum, { counts }) => sum + (counts?.[place] ?? (place === 1 ? 1 : 0)), 0),
  );
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  return failed > 0 || outcomes.some(({ status }) => status !== 0) ? 1 : 0;
}

const given = process.argv.slice(2);
process.exitCode = given.length > 0 ? (await finish(start(given, 'inherit'))).status : await runAll();
