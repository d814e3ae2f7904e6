/**
 * Finds the tests that cover a fault: those that import the source, directly or not. For a fault in a shader, they must
 * also use a kernel with the line of the fault.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { DECLARATION } from '../../src/gpu/link';
import type { Baseline } from './baseline';
import type { Mutant } from './mutate';

const IMPORT = /(?:from |import\(\s*|import )(?:\/\* @vite-ignore \*\/ )?'(\.[^']+)'/g;
const TEST_FOLDERS = ['tests/unit', 'tests/gpu'];

export class Coverage {
  private readonly tests: string[];
  private readonly imports = new Map<string, readonly string[]>();
  private readonly reached = new Map<string, ReadonlySet<string>>();

  constructor(private readonly root: string) {
    this.tests = TEST_FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.test.ts'))
        .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
    );
  }

  importersOf(file: string): string[] {
    // Tests without a GPU run no shader.
    const folder = file.endsWith('.wgsl') ? 'tests/gpu/' : 'tests/';
    return this.tests.filter((test) => test.startsWith(folder) && this.reachOf(test).has(file));
  }

  /**
   * Returns the tests that cover a line. Tests with the name of the file come first, then tests whose paths share more
   * names with the file's path, then tests that import fewer files.
   */
  testsOf({ file, line }: Pick<Mutant, 'file' | 'line'>, baselines: ReadonlyMap<string, Baseline>): string[] {
    const words = wordsOf(file);
    const stem = words.at(-1) as string;
    const lines = file.endsWith('.wgsl') ? this.linesAround(file, line) : [];
    return this.importersOf(file)
      .filter((test) => lines.every((text) => baselines.get(test)?.lines.has(text)))
      .map((test) => {
        const shared = wordsOf(test).filter((word) => words.includes(word)).length;
        const rank = wordsOf(test).at(-1) === stem ? 0 : 1;
        return { test, rank, shared, reach: this.reachOf(test).size };
      })
      .sort(
        (a, b) => a.rank - b.rank || b.shared - a.shared || a.reach - b.reach || (a.test < b.test ? -1 : 1),
      )
      .map(({ test }) => test);
  }

  /** Returns a line, and the first line of the declaration around it. */
  private linesAround(file: string, line: number): string[] {
    const lines = readFileSync(join(this.root, file), 'utf8').split('\n').slice(0, line);
    const start = lines.findLast((text) => DECLARATION.test(text));
    return [lines.at(-1) as string, ...(start === undefined ? [] : [start])];
  }

  private reachOf(test: string): ReadonlySet<string> {
    const known = this.reached.get(test);
    if (known) return known;
    const reached = new Set([test]);
    for (const file of reached) for (const next of this.importsOf(file)) reached.add(next);
    this.reached.set(test, reached);
    return reached;
  }

  private importsOf(file: string): readonly string[] {
    const known = this.imports.get(file);
    if (known) return known;
    const text = file.endsWith('.ts') ? readFileSync(join(this.root, file), 'utf8') : '';
    const found = [...text.matchAll(IMPORT)].flatMap(([, named]) => {
      const path = normalize(join(dirname(file), (named as string).replace(/\?.*$/, ''))).replaceAll(
        '\\',
        '/',
      );
      return ['', '.ts', '/index.ts'].map((ending) => path + ending).filter((full) => this.isFile(full));
    });
    this.imports.set(file, found);
    return found;
  }

  private isFile(path: string): boolean {
    return /\.\w+$/.test(path) && existsSync(join(this.root, path));
  }
}

/** Returns the names in a path, without folders that say nothing about the subject. */
function wordsOf(path: string): string[] {
  return path
    .replace(/(?:\.test)?\.\w+$/, '')
    .replaceAll('_', '-')
    .split('/')
    .filter((word) => !/^(?:src|shaders|tests|unit|gpu)$/.test(word));
}
