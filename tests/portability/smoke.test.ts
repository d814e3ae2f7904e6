/** Tests the second WebGPU implementation: Deno starts, finds a driver and runs a kernel. */
import { describe, expect, test } from 'vitest';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';

describe.skipIf(skipsDeno)(`wgpu on ${denoDriver}`, () => {
  test('runs a kernel', async () => {
    const result = await runInDeno<{ adapter: string; squares: number[] }>(
      'tests/portability/entries/smoke.ts',
    );
    expect(result.adapter).not.toBe('');
    expect(result.squares).toEqual(Array.from({ length: 1000 }, (_, index) => index * index));
  });
});
