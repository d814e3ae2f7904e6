/**
 * Finds the tests that cover a file: those that import it, directly or through other files, most specific first. A
 * shader is covered through the module that imports its text.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /(?:from |import\(\s*|import )(?:\/\* @vite-ignore \*\/ )?'(\.[^']+)'/g;
const TEST_FOLDERS = ['tests/unit', 'tests/gpu'];
/** Tests of everything at once, which notice nearly any change of a result. */
const BROAD = /state-hashes\.test\.ts$/;

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

  /**
   * Returns the tests that import the file: first those with the file's name, then broad tests, then the rest. In each
   * group, tests whose paths share more names with the file's path come first.
   */
  testsOf(file: string): string[] {
    const isShader = file.endsWith('.wgsl');
    const words = wordsOf(file);
    const stem = words.at(-1) as string;
    return (
      this.tests
        .filter((test) => this.reachOf(test).has(file))
        // Tests without a GPU run no shader.
        .filter((test) => !isShader || test.startsWith('tests/gpu'))
        .map((test) => {
          const shared = wordsOf(test).filter((word) => words.includes(word)).length;
          const rank = wordsOf(test).at(-1) === stem ? 0 : BROAD.test(test) ? 1 : 2;
          return { test, rank, shared, reach: this.reachOf(test).size };
        })
        .sort(
          (a, b) => a.rank - b.rank || b.shared - a.shared || a.reach - b.reach || (a.test < b.test ? -1 : 1),
        )
        .map(({ test }) => test)
    );
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

/** Returns the names in a path: its folders and its file, without folders that say nothing about the subject. */
function wordsOf(path: string): string[] {
  return path
    .replace(/(?:\.test)?\.\w+$/, '')
    .replaceAll('_', '-')
    .split('/')
    .filter((word) => !/^(?:src|shaders|tests|unit|gpu)$/.test(word));
}
