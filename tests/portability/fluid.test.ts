/** The fluid under wgpu and naga, Firefox's: every kernel accepted, what the twin on the CPU does, the same bits again. */
import { describe, expect, test } from 'vitest';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import type { FluidReport } from './entries/fluid';

describe.skipIf(skipsDeno)(`the fluid under wgpu on ${denoDriver}`, () => {
  test('does what it does elsewhere', async () => {
    const reports = await runInDeno<FluidReport[]>('tests/portability/entries/fluid.ts');
    expect(reports).toHaveLength(2);
    for (const { hashes, difference, residual, complaints } of reports) {
      expect(complaints).toEqual([]);
      expect(new Set(hashes).size).toBe(1);
      expect(difference).toBeLessThan(1e-5);
      expect(residual).toBeLessThanOrEqual(1e-4);
    }
  });
});
