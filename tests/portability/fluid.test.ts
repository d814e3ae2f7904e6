import { afterAll, describe, expect, test } from 'vitest';
import type { Dimensions } from '../../src/core/world/world';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import type { FluidReport } from './entries/fluid';
import type { ViewReport } from './entries/fluid-view';

const deno = new DenoEntry<Dimensions, FluidReport>('tests/portability/entries/fluid.ts');
const drawing = new DenoEntry<Dimensions, ViewReport>('tests/portability/entries/fluid-view.ts');
afterAll(() => Promise.all([deno.close(), drawing.close()]));

describe.skipIf(skipsDeno)(`the fluid under wgpu on ${denoDriver}`, () => {
  test.each(DIMENSIONS)(
    'stays near its CPU twin in %dD, with the same bits in two runs',
    async (dimensions) => {
      const { hashes, difference, residual, complaints } = await deno.ask(dimensions);
      expect(complaints).toEqual([]);
      expect(new Set(hashes).size).toBe(1);
      expect(difference).toBeLessThan(1e-5);
      expect(residual).toBeLessThanOrEqual(1e-4);
    },
  );

  test.each(DIMENSIONS)('has drawing shaders that compile without complaints in %dD', async (dimensions) => {
    expect(await drawing.ask(dimensions)).toEqual({ isReady: true, complaints: [] });
  });
});
