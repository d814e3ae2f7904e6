import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Baseline } from '../../../../scripts/mutants/baseline';
import { Coverage } from '../../../../scripts/mutants/coverage';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const coverage = new Coverage(ROOT);
const NONE: ReadonlyMap<string, Baseline> = new Map();

test('the tests of a source file are those that import the file, and its own test is the first', () => {
  const tests = coverage.testsOf({ file: 'src/cpu/solver/integrate.ts', line: 20 }, NONE);
  expect(tests).toContain('tests/unit/cpu/solver/variable-radii.test.ts');
  expect(tests).not.toContain('tests/unit/testing/install-steps.test.ts');
  expect(coverage.testsOf({ file: 'src/core/ccd/impact.ts', line: 20 }, NONE)[0]).toBe(
    'tests/unit/core/ccd/impact.test.ts',
  );
});

test('the tests of a shader line are those that dispatch a kernel with this line and the function around it', () => {
  const file = 'shaders/query/rays.wgsl';
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const body = lines.findLastIndex((line) => line.startsWith('  '));
  const start = lines.slice(0, body).findLast((line) => /^(?:@.*)?fn /.test(line)) as string;
  const dispatched = (...texts: string[]): Baseline => ({ seconds: 1, lines: new Set(texts) });
  const baselines = new Map([
    ['tests/gpu/query/rays.test.ts', dispatched(start, lines[body] as string)],
    ['tests/gpu/simulation/state-hashes.test.ts', dispatched(lines[body] as string)],
  ]);
  expect(coverage.importersOf(file)).toContain('tests/gpu/simulation/state-hashes.test.ts');
  expect(coverage.testsOf({ file, line: body + 1 }, baselines)).toEqual(['tests/gpu/query/rays.test.ts']);
});

test('only tests with a GPU can cover a shader', () => {
  const importers = coverage.importersOf('shaders/query/rays.wgsl');
  expect(importers.filter((test) => !test.startsWith('tests/gpu/'))).toEqual([]);
});

test('a file that no test imports has no tests', () => {
  expect(coverage.testsOf({ file: 'src/core/no-such-file.ts', line: 1 }, NONE)).toEqual([]);
});
