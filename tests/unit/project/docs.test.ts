import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'bench/NOTES.md',
  'bench/RESULTS.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
].filter((path) => existsSync(join(ROOT, path)));

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/**
 * Compiler errors that examples may have, because they are fragments:
 * - 2304, 2552, 18004: the text around the example, or the reader, declares a name;
 * - 2448, 2454, 7022: the example uses a name before it declares it;
 * - 18048: the example does not check whether a coordinate is undefined.
 */
const LEFT_TO_THE_READER = new Set([2304, 2448, 2454, 2552, 7022, 18004, 18048]);

interface Example {
  readonly path: string;
  /** The number of the opening fence's line, counted from 1. */
  readonly line: number;
  readonly code: string;
}

function examplesOf(path: string): Example[] {
  const text = read(path);
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ index, 1: code = '' }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    code: code.replaceAll('=> …', '=> undefined').replace(/…,?/g, ''),
  }));
}

/** Returns the compiler's errors as `PATH:LINE: TS…: …`, where LINE is a line of the document. */
function compile(folder: string, examples: readonly Example[]): string[] {
  examples.forEach(({ code }, index) => {
    // An export makes the example a module, so that its names do not clash with those of others.
    writeFileSync(join(folder, `${index}.ts`), `${code}\nexport {};\n`);
  });
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noImplicitAny: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      paths: {
        cellstorm: [join(ROOT, 'src/index.ts')],
        'cellstorm/*': [join(ROOT, 'src/*/index.ts'), join(ROOT, 'src/methods/*/index.ts')],
      },
    },
    include: [join(folder, '*.ts'), join(ROOT, 'src/**/*.d.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 50_000,
  });
  return `${stdout}${stderr}`.split('\n').flatMap((line) => {
    const [, file, row = '', code, text] = /^(\d+)\.ts\((\d+),\d+\): error TS(\d+): (.*)/.exec(line) ?? [];
    const example = examples[Number(file)];
    // Keep errors outside the examples. Indented lines only continue a message.
    if (example === undefined) return /^\S/.test(line) ? [line] : [];
    if (LEFT_TO_THE_READER.has(Number(code))) return [];
    return [`${example.path}:${example.line + Number(row)}: TS${code}: ${text}`];
  });
}

/** Returns the anchor that Markdown renderers give a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

describe('code in documents', () => {
  const cache = join(ROOT, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles; added wrong examples are reported', () => {
    const examples = DOCUMENTS.flatMap(examplesOf);
    expect(examples.length).toBeGreaterThan(40);
    const wrong = (code: string): Example => ({ path: 'here', line: 0, code });
    const found = compile(folder, [
      ...examples,
      wrong("import { createNothing } from 'cellstorm';"),
      wrong("import { createCpuGrid } from 'cellstorm/cpu';\ncreateCpuGrid({ dimensions: 2, diametre: 1 });"),
    ]);
    expect(found.filter((line) => line.startsWith('here:'))).toEqual([
      expect.stringMatching(/^here:1: TS2305: .*createNothing/),
      expect.stringMatching(/^here:2: TS\d+: /),
    ]);
    expect(found.filter((line) => !line.startsWith('here:'))).toEqual([]);
  });
});

it('the first example in docs/drawing.md is examples/canvas/main.ts without its header, at most 60 lines', () => {
  const example = read('examples/canvas/main.ts');
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(60);
  const [header = '', ...rest] = example.split('\n');
  expect(header).toMatch(/^\/\*\*.*\*\/$/);
  expect(examplesOf('docs/drawing.md')[0]?.code).toBe(rest.join('\n'));
});

describe('links in documents', () => {
  it('point to existing files and headings', () => {
    const links = DOCUMENTS.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(([, file = '', anchor]) => ({
        path,
        file,
        anchor,
      })),
    );
    expect(links.length).toBeGreaterThan(50);
    const missing = links.filter(({ path, file, anchor }) => {
      const target = file === '' ? join(ROOT, path) : resolve(ROOT, dirname(path), file);
      if (!existsSync(target)) return true;
      if (anchor === undefined) return false;
      const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)/gm)].map(([, text = '']) => text);
      return !headings.map(anchorOf).includes(anchor);
    });
    expect(missing).toEqual([]);
  });
});
