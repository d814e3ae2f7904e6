/** Tests the fluid under wgpu and naga, which Firefox uses: it equals its twin on the CPU, with the same bits twice. */
import { describe, expect, test } from 'vitest';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import type { FluidReport } from './entries/fluid';

describe.skipIf(skipsDeno)(`the fluid under wgpu on ${denoDriver}`, () => {
  test('equals its twin on the CPU, with the same bits twice', async () => {
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
