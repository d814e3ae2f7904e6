/** Tries mutants in a copy of the repository. A mutant that does not compile is invalid and does not count. */
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Baseline } from './baseline';
import type { Mutant } from './mutate';
import { type Batch, endOf, failureIn, killGroup, startTests } from './run-tests';

export interface Verdict extends Mutant {
  readonly outcome: 'killed' | 'survived' | 'invalid';
  /** Why the mutant is killed or invalid; '' for survivors. */
  readonly by: string;
  readonly seconds: number;
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
  'verify.html',
  'lockstep.html',
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
/** A batch's time limit is START_SECONDS plus a multiple of its time without a mutant: see `try`. */
const LIMIT_FACTOR = 6;
const FULL_FACTOR = 4;
const START_SECONDS = 30;
/** Numbers of tests in the first batches: see batchesOf. A batch runs only if the mutant survived the earlier ones. */
const NEAREST = 2;
const NEAR = 10;
/** Broad tests, which notice nearly any change of a result. */
const BROAD = /state-hashes\.test\.ts$/;

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'cellstorm-mutants-'));
  private tests: ChildProcess | undefined;

  constructor(
    root: string,
    private readonly baselines: ReadonlyMap<string, Baseline>,
  ) {
    for (const name of [...COPIED, ...COPIED_FILES]) {
      cpSync(join(root, name), join(this.folder, name), {
        recursive: true,
        filter: (path) => !/bench\/results|screenshots/.test(path),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
  }

  destroy(): void {
    if (this.tests?.exitCode === null) killGroup(this.tests);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
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
        const usual = batch.tests.reduce((sum, test) => sum + (this.baselines.get(test)?.seconds ?? 0), 0);
        const limit = START_SECONDS + LIMIT_FACTOR * (batch.isFull ? FULL_FACTOR : 1) * usual;
        const result = await this.run(batch, Math.round(limit));
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

  private async run(batch: Batch, limit: number): Promise<string | undefined> {
    const report = join(this.folder, 'report.json');
    this.tests = startTests(this.folder, batch, report, ['--bail', '1']);
    const result = await endOf(this.tests, limit);
    if (result === 'late') return `time limit of ${limit} s`;
    return result === 'passed' ? undefined : failureIn(report);
  }
}

function batchesOf(tests: readonly string[]): Batch[] {
  const broad = tests.filter((test) => BROAD.test(test));
  const near = tests.filter((test) => !BROAD.test(test)).slice(0, NEAR);
  return [
    { tests: near.slice(0, NEAREST), isFull: false },
    { tests: [...near.slice(NEAREST), ...broad], isFull: false },
    { tests: [...near, ...broad], isFull: true },
    { tests: tests.filter((test) => !near.includes(test) && !broad.includes(test)), isFull: false },
  ].filter((batch) => batch.tests.length > 0);
}
