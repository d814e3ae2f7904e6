/**
 * Tests the benchmark's broad phases under wgpu and naga, which Firefox uses: the kernels compile and find every pair.
 */
import { describe, expect, test } from 'vitest';
import { GPU_ENGINES } from '../../bench/engines/gpu';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import type { BenchReport } from './entries/bench';

describe.skipIf(skipsDeno)(`the benchmark under wgpu on ${denoDriver}`, () => {
  test('finds every pair of equal and variable radii', async () => {
    const report = await runInDeno<BenchReport>('tests/portability/entries/bench.ts');
    expect(report.complaints).toEqual([]);
    expect(report.cases).toHaveLength(4 * GPU_ENGINES.length);
    for (const { name, found, expected } of report.cases) {
      expect(expected.pairs, name).toBeGreaterThan(0);
      expect(found, name).toEqual(expected);
    }
  });
});
