import { afterAll, describe, expect, test } from 'vitest';
import { GPU_ENGINES } from '../../bench/engines/gpu';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import type { BenchQuestion, BenchReport } from './entries/bench';

const deno = new DenoEntry<BenchQuestion, BenchReport>('tests/portability/entries/bench.ts');
afterAll(() => deno.close());

describe.skipIf(skipsDeno)(`the benchmark under wgpu on ${denoDriver}`, () => {
  for (const { name: engine, boxes } of GPU_ENGINES) {
    for (const dimensions of DIMENSIONS) {
      test.each(boxes ? ['boxes', 'boxes-mixed'] : ['uniform', 'mixed'])(
        `finds every pair and counts distance tests with the engine ${engine} in ${dimensions}D, in the scene %s`,
        async (scene) => {
          const { found, expected, tests, complaints } = await deno.ask({ engine, scene, dimensions });
          expect(complaints).toEqual([]);
          expect(expected.pairs).toBeGreaterThan(0);
          expect(found).toEqual(expected);
          expect(tests).toBeGreaterThan(expected.pairs);
        },
      );
    }
  }
});
