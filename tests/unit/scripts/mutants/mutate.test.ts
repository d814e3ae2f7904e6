import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { blankOut, mutantsOf } from '../../../../scripts/mutants/mutate';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const afterOf = (file: string, text: string) => mutantsOf(file, text).map(({ after }) => after.trim());

describe('faults in WGSL', () => {
  test('exchange operators and comparisons, one at a time', () => {
    expect(afterOf('a.wgsl', 'let a = b + c << d;\nlet e = f <= g && h;')).toEqual([
      'let a = b - c << d;',
      'let a = b + c >> d;',
      'let e = f < g && h;',
      'let e = f <= g || h;',
    ]);
  });

  test('add one to constants, but not to names, sizes of types or attributes', () => {
    expect(
      afterOf('a.wgsl', 'let a: vec2<f32> = b1[3u];\n@group(1) @binding(2) var<storage> c: u32;'),
    ).toEqual(['let a: vec2<f32> = b1[4u];']);
    expect(afterOf('a.wgsl', 'let a = f(0.5);')).toEqual(['let a = f(1.5);']);
  });

  test('drop barriers, assignments and atomics', () => {
    expect(afterOf('a.wgsl', '  workgroupBarrier();')).toEqual(['']);
    expect(afterOf('a.wgsl', '  sums[i] = value;')).toEqual(['']);
    expect(afterOf('a.wgsl', '  let slot = atomicAdd(&counts[cell], n);')).toEqual([
      'let slot = atomicLoad(&counts[cell]);',
    ]);
  });

  test('negate conditions', () => {
    expect(afterOf('a.wgsl', '  if (isValid(a)) {')).toEqual(['if (!(isValid(a))) {']);
  });

  test('leave comments and preprocessor lines alone', () => {
    expect(afterOf('a.wgsl', '// a + b\n#if A && B\n/* c - d\n e * f */')).toEqual([]);
  });
});

describe('faults in TypeScript', () => {
  test('leave strings, types and imports alone', () => {
    const text = [
      "import { a } from '../b';",
      "const c = 'd + e';",
      'type F = 1 | 2;',
      '  readonly g: H & I;',
      'function other(copy: 0 | 1): 0 | 1 {',
      'const j = k + `l - m`;',
    ].join('\n');
    expect(afterOf('a.ts', text)).toEqual(['const j = k - `l - m`;']);
  });

  test('keep the text of strings in a negated condition', () => {
    expect(afterOf('a.ts', "  if (a === 'b + c') {")).toEqual([
      "if (a !== 'b + c') {",
      "if (!(a === 'b + c')) {",
    ]);
  });

  test('leave regular expressions alone like strings, but change divisions', () => {
    expect(afterOf('a.ts', 'const a = b.replace(/c + d/, e);')).toEqual([]);
    expect(afterOf('a.ts', 'const a = b / c;')).toEqual(['const a = b * c;']);
  });
});

test('blanked text keeps its lines and their length', () => {
  const text = "const a = 'B';\n/* C\nD */ const e = 1; // F\n";
  const blank = blankOut(text, 'ts');
  expect(blank.split('\n').map((line) => line.length)).toEqual(text.split('\n').map((line) => line.length));
  expect(blank).not.toMatch(/[BCDF]/);
});

test('each fault changes exactly its line of the file, and says what stood there', () => {
  const file = 'shaders/grid/scatter.wgsl';
  const text = readFileSync(join(ROOT, file), 'utf8');
  const mutants = mutantsOf(file, text);
  expect(mutants.length).toBeGreaterThan(10);
  for (const { line, before, after } of mutants) {
    expect(text.split('\n')[line - 1]).toBe(before);
    expect(after).not.toBe(before);
  }
});

test('in each main folder of kernels and sources, faults can be planted', () => {
  for (const folder of [
    'shaders/grid',
    'shaders/solve',
    'shaders/query',
    'src/core',
    'src/engine',
    'src/cpu',
  ]) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(?:wgsl|ts)$/.test(path),
    );
    const count = files.reduce(
      (sum, path) =>
        sum + mutantsOf(join(folder, path), readFileSync(join(ROOT, folder, path), 'utf8')).length,
      0,
    );
    expect(count, folder).toBeGreaterThan(60);
  }
});
