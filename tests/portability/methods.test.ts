/**
 * Compares boids, particle life and the position-based fluid under wgpu and naga, which Firefox uses, with the
 * references.
 */
import { describe, expect, test } from 'vitest';
import { denoDriver, runInDeno, skipsDeno } from '../helpers/deno';
import type { MethodsReport } from './entries/methods';

/** The greatest difference of a coordinate, derived as in tests/gpu/methods/flock.test.ts. */
const MOST = 12 * 2 ** -18;

describe.skipIf(skipsDeno)(`methods on the public API under wgpu on ${denoDriver}`, () => {
  test('take a step like the references', async () => {
    const report = await runInDeno<MethodsReport>('tests/portability/entries/methods.ts');
    expect(report.complaints).toEqual([]);
    expect(Object.keys(report.differences)).toHaveLength(6);
    for (const [name, difference] of Object.entries(report.differences)) {
      expect(difference, name).toBeLessThan(MOST);
    }
  });
});
