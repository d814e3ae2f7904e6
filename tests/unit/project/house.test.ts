import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  circlesIn,
  findCircles,
  findTestPaths,
  findUnused,
  findWrongImports,
  importObjection,
  PAGE_TAKES_FROM_INSIDE,
  testPathsIn,
} from '../../../scripts/check-imports';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MOST_FILES_IN_A_FOLDER = 25;
const MOST_LINES = 500;
const REASON = /longer than 500 lines/i;
const HEADER_LINES = 20;
const DEEPEST_CONDITION = 2;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /^(?:src|shaders|bench|scripts|tests)\//.test(file));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('imports', () => {
  test('all go in the allowed direction', () => {
    expect(findWrongImports()).toEqual([]);
  });

  test('of src form no circle, including type imports', () => {
    expect(findCircles()).toEqual([]);
  });

  test('that form a circle are found; two paths to the same file are not a circle', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a']],
    ]);
    expect(circlesIn(circle)).toEqual(['a imports b imports c imports a: that is a circle.']);
    const diamond = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d']],
    ]);
    expect(circlesIn(diamond)).toEqual([]);
  });

  test('are rejected from src to bench, from bench to tests, and from a lower folder to a higher one', () => {
    expect(importObjection('src/cli/info.ts', 'bench/harness/run.ts')).toMatch(/^src\/cli may import/);
    expect(importObjection('bench/crowd.ts', 'tests/helpers/passes.ts')).toMatch(/^bench may import/);
    expect(importObjection('src/cpu/equal/plane.ts', 'src/cpu/solver/simulation.ts')).toBe(
      'src/cpu/equal may import only shared, threads',
    );
    expect(importObjection('src/cpu/solver/simulation.ts', 'src/cpu/equal/plane.ts')).toBeUndefined();
    expect(importObjection('elsewhere/file.ts', 'src/index.ts')).toMatch(/is in no folder/);
  });

  test('by the page from inside the library are in a list with reasons', () => {
    const file = 'src/page/view/overlay.ts';
    const inside = Object.entries(PAGE_TAKES_FROM_INSIDE);
    for (const target of ['src/index.ts', 'src/cpu/index.ts', 'src/methods/fluid/index.ts']) {
      expect(importObjection(file, target)).toBeUndefined();
    }
    for (const [target, reason] of inside) {
      expect(importObjection(file, target)).toBeUndefined();
      expect(reason).not.toBe('');
    }
    for (const target of [
      'src/core/base/checks.ts',
      'src/engine/simulation/simulation.ts',
      'src/gpu/uniform-ring.ts',
      'src/methods/flock/flock.ts',
      'src/passes/index.ts',
      'src/reference/query/brute-force.ts',
    ]) {
      expect(importObjection(file, target)).toMatch(/only entries, shaders and what PAGE_TAKES_FROM_INSIDE/);
    }
  });

  test('that PAGE_TAKES_FROM_INSIDE allows are all used', () => {
    expect(findUnused()).toEqual([]);
    expect(findUnused(['src/gpu/kernel.ts', 'src/gpu/link.ts'], ['src/page/view/tally.ts'])).toEqual([
      'PAGE_TAKES_FROM_INSIDE lists src/gpu/link.ts, which src/page does not import.',
    ]);
  });
});

describe('paths into tests', () => {
  test('are in no file outside tests, except paths of records and of tests to run', () => {
    expect(findTestPaths()).toEqual([]);
  });

  test('are found in every kind of string, but not in comments', () => {
    const text = `
      /** Like "tests/helpers/a.ts". */
      open('tests/browser/b.html'); // as 'tests/helpers/c.ts' does
      new URL("../tests/gpu-only/d.ts", 'https://e.f/tests/g');
      read(\`\${ROOT}/tests/hashes/h.json\`, 'tests/mutants/results.json', 'tests/gpu', 'contests/i');
    `;
    expect(testPathsIn(text)).toEqual(['tests/browser/b.html', 'tests/gpu-only/d.ts', 'tests/hashes/h.json']);
  });
});

describe('the project', () => {
  test(`has no folder with more than ${MOST_FILES_IN_A_FOLDER} files directly in it`, () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MOST_FILES_IN_A_FOLDER)).toEqual([]);
  });

  test(`explains the length of each product file of more than ${MOST_LINES} lines`, () => {
    const long = files
      .filter((file) => /^(?:src|shaders|bench|scripts)\/.*\.(?:ts|wgsl|mjs|css)$/.test(file))
      .map((file) => ({ file, lines: read(file).split('\n') }))
      .filter(({ lines }) => lines.length - 1 > MOST_LINES)
      .filter(
        ({ lines }) =>
          !REASON.test(
            lines
              .slice(0, HEADER_LINES)
              .join(' ')
              .replace(/\s*\n?\s*(?:\*|\/\/)\s*/g, ' '),
          ),
      );
    expect(long.map(({ file, lines }) => `${file}: ${lines.length}`)).toEqual([]);
  });

  test(`nests #if at most ${DEEPEST_CONDITION} deep`, () => {
    const deep = files
      .filter((file) => file.endsWith('.wgsl'))
      .flatMap((file) => {
        let depth = 0;
        return read(file)
          .split('\n')
          .flatMap((text, index) => {
            if (/^\s*#if\b/.test(text)) depth++;
            if (/^\s*#endif\b/.test(text)) depth--;
            return depth > DEEPEST_CONDITION && /^\s*#if\b/.test(text) ? [`${file}:${index + 1}`] : [];
          });
      });
    expect(deep).toEqual([]);
  });
});
