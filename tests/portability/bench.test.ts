/** The broad phases of the benchmark under wgpu and naga, Firefox's: kernels accepted, and every pair found. */
import { describe, expect, test } from 'vitest';
import { GPU_ENGINES } from '../../bench/engines/gpu';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import type { BenchReport } from './entries/bench';

describe.skipIf(skipsDeno)(`the benchmark under wgpu on ${denoDriver}`, () => {
  test('finds every pair of equal and of mixed radii', async () => {
    const report = await runInDeno<BenchReport>('tests/portability/entries/bench.ts');
    expect(report.complaints).toEqual([]);
    expect(report.cases).toHaveLength(4 * GPU_ENGINES.length);
    for (const { name, found, expected } of report.cases) {
      expect(expected.pairs, name).toBeGreaterThan(0);
      expect(found, name).toEqual(expected);
    }
  });
});
