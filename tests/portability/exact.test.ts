import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import type { ExactQuestion, ExactReport } from './entries/exact';

const deno = new DenoEntry<ExactQuestion, ExactReport>('tests/portability/entries/exact.ts');
afterAll(() => deno.close());

const recorded: Record<string, string> = JSON.parse(
  readFileSync(new URL('../hashes/exact.json', import.meta.url), 'utf8'),
);

describe.skipIf(skipsDeno)(`exact simulations under wgpu on ${denoDriver}`, () => {
  for (const scene of ['pile', 'clustered', 'periodic', 'obstacles']) {
    const options = { tags: scene === 'pile' ? [] : ['full'] };
    test.each(DIMENSIONS)(`give the recorded bits in %dD: ${scene}`, options, async (dimensions) => {
      const { gpu, cpu, complaints } = await deno.ask({ scene, dimensions, count: 300, steps: 20 });
      const expected = recorded[`${scene} ${dimensions}D, 300 particles, 20 steps`];
      expect(complaints).toEqual([]);
      expect({ gpu, cpu }).toEqual({ gpu: expected, cpu: expected });
    });
  }
});
