import { afterAll, describe, expect, test } from 'vitest';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import type { MethodsQuestion, MethodsReport } from './entries/methods';

/** The largest difference of coordinates, derived as in tests/gpu/methods/flock/flock.test.ts. */
const MOST = 12 * 2 ** -18;

const METHODS = ['boids', 'particle life', 'position-based fluid'] as const;

const deno = new DenoEntry<MethodsQuestion, MethodsReport>('tests/portability/entries/methods.ts');
afterAll(() => deno.close());

describe.skipIf(skipsDeno)(`a method on the public API under wgpu on ${denoDriver}`, () => {
  for (const dimensions of DIMENSIONS) {
    test.each(METHODS)(`takes a step like the reference in ${dimensions}D: %s`, async (method) => {
      const { difference, complaints } = await deno.ask({ method, dimensions });
      expect(complaints).toEqual([]);
      expect(difference).toBeLessThan(MOST);
    });
  }
});
