/**
 * Tries mutants in a copy of the repository: puts the fault in, runs the NEAR most specific tests of the file until one
 * fails, and takes the fault out. A mutant that does not compile is invalid and does not count.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutate';

export interface Verdict extends Mutant {
  readonly outcome: 'killed' | 'survived' | 'invalid';
  /** The test that failed, or the time limit; '' for survivors. */
  readonly by: string;
  readonly seconds: number;
}

/** One run of tests: their files, and whether to run long tables of cases in full. */
interface Batch {
  readonly tests: readonly string[];
  readonly isFull: boolean;
}

const COPIED = [
  'src',
  'shaders',
  'tests',
  'bench',
  'scripts',
  'docs',
  'dist',
  'index.html',
  'explainer.html',
  'bench.html',
];
const COPIED_FILES = [
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'vite.config.ts',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'biome.json',
];
/** Time limit of a batch. A batch takes seconds to a minute; one that takes longer hangs. */
const LIMIT_MS = 150_000;
/** Number of tests in the first batch, and in the first two batches. The most specific tests run first. */
const NEAREST = 3;
const NEAR = 12;

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'cellstorm-mutants-'));

  constructor(root: string) {
    for (const name of [...COPIED, ...COPIED_FILES]) {
      cpSync(join(root, name), join(this.folder, name), {
        recursive: true,
        filter: (path) => !/bench\/results|screenshots/.test(path),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
  }

  destroy(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async try(mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
    const path = join(this.folder, mutant.file);
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n');
    if (lines[mutant.line - 1] !== mutant.before)
      throw new Error(`${mutant.file}:${mutant.line} has changed.`);
    lines[mutant.line - 1] = mutant.after;
    const began = performance.now();
    writeFileSync(path, lines.join('\n'));
    try {
      for (const batch of batchesOf(tests)) {
        const result = await this.run(batch);
        const seconds = Math.round((performance.now() - began) / 100) / 10;
        if (result !== undefined) {
          const outcome = /does not compile|SyntaxError|Transform failed|ReferenceError/.test(result)
            ? 'invalid'
            : 'killed';
          return { ...mutant, outcome, by: result.split('\n')[0] as string, seconds };
        }
      }
      return {
        ...mutant,
        outcome: 'survived',
        by: '',
        seconds: Math.round((performance.now() - began) / 100) / 10,
      };
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Returns the first failing test and its message; undefined if all pass. */
  run({ tests, isFull }: Batch): Promise<string | undefined> {
    const report = join(this.folder, 'report.json');
    rmSync(report, { force: true });
    const mode = isFull ? ['--mode', 'all'] : [];
    const output = ['--bail', '1', '--reporter=json', `--outputFile=${report}`];
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...mode, ...output, ...tests],
      { cwd: this.folder, stdio: 'ignore', detached: true, env: { ...process.env, CI: '1' } },
    );
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // The tests run in processes of their own, in the same group.
        process.kill(-(child.pid as number), 'SIGKILL');
      }, LIMIT_MS);
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        clearTimeout(timer);
        if (signal === 'SIGKILL') resolve(`time limit of ${LIMIT_MS / 1000} s`);
        else resolve(code === 0 ? undefined : failureIn(report));
      });
    });
  }
}

function batchesOf(tests: readonly string[]): Batch[] {
  return [
    { tests: tests.slice(0, NEAREST), isFull: false },
    { tests: tests.slice(NEAREST, NEAR), isFull: false },
    { tests: tests.slice(0, NEAR), isFull: true },
  ].filter((batch) => batch.tests.length > 0);
}

function failureIn(report: string): string {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: {
        name: string;
        message: string;
        assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
      }[];
    };
    for (const { name, message, assertionResults } of testResults) {
      const failed = assertionResults.find(({ status }) => status === 'failed');
      const file = name.replace(/^.*?\/(?=tests\/)/, '');
      if (failed) return `${file}: ${failed.fullName}\n${failed.failureMessages.join('\n')}`;
      if (message) return `${file}\n${message}`;
    }
  } catch {
    // Without a report, the process died.
  }
  return 'the process of the tests died';
}
