import { afterAll, describe, expect, test } from 'vitest';
import { LONG_HASHES } from '../../src/verify/golden-hashes';
import { LONG_SCENES, longName } from '../../src/verify/golden-long';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import { runsAll } from '../helpers/tiers';
import type { ExactQuestion, ExactReport } from './entries/exact';

const COUNT = 1000;

const deno = new DenoEntry<ExactQuestion, ExactReport>('tests/portability/entries/exact.ts');
afterAll(() => deno.close());

describe.skipIf(skipsDeno)(`exact simulations under wgpu on ${denoDriver}`, () => {
  for (const scene of LONG_SCENES) {
    const options = { tags: scene === 'pile' ? [] : ['full'] };
    test.each(DIMENSIONS)(`give the recorded hashes in %dD: ${scene}`, options, async (dimensions) => {
      const marks = runsAll ? [1, 100] : [1];
      const { gpu, cpu, complaints } = await deno.ask({ scene, dimensions, count: COUNT, marks });
      const expected = LONG_HASHES[longName(scene, dimensions, COUNT)]?.slice(0, marks.length);
      expect(complaints).toEqual([]);
      expect({ gpu, cpu }).toEqual({ gpu: expected, cpu: expected });
    });
  }
});
