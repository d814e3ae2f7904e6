/** Tests that wgpu and naga, which Firefox uses, accept all kernels. */
import { afterAll, describe, expect, test } from 'vitest';
import { describeKernels } from '../../src/passes';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { describePageKernels } from '../helpers/page-kernels';
import { DIMENSIONS } from '../helpers/passes';
import type { KernelsQuestion, KernelsReport } from './entries/kernels';

const deno = new DenoEntry<KernelsQuestion, KernelsReport>('tests/portability/entries/kernels.ts');
afterAll(() => deno.close());

async function expectAccepted(question: KernelsQuestion, labels: readonly string[]): Promise<void> {
  const { compiled, refused, complaints } = await deno.ask(question);
  expect(refused).toEqual([]);
  expect(complaints).toEqual([]);
  expect(compiled).toEqual(question.indices.map((index) => labels[index]));
}

describe.skipIf(skipsDeno)(`the kernels under wgpu on ${denoDriver}`, () => {
  for (const dimensions of DIMENSIONS) {
    const labels = describeKernels(dimensions).map(({ label }) => label);
    const indices = [...labels.keys()];
    const parts = Math.ceil(indices.length / 100);

    test(`compile as shaders in ${dimensions}D`, async () => {
      expect(indices.length).toBeGreaterThan(700);
      await expectAccepted({ dimensions, of: 'passes', as: 'shader', indices }, labels);
    });

    // Variants of one kernel follow each other in the list, so the parts take kernels in turn.
    for (let part = 0; part < parts; part++) {
      test(`become pipelines in ${dimensions}D, part ${part + 1} of ${parts}`, { tags: 'case' }, async () => {
        const asked = indices.filter((index) => index % parts === part);
        await expectAccepted({ dimensions, of: 'passes', as: 'pipeline', indices: asked }, labels);
      });
    }

    test(`that the page adds become pipelines in ${dimensions}D`, { tags: 'case' }, async () => {
      const ofPage = describePageKernels(dimensions).map(({ label }) => label);
      const asked = [...ofPage.keys()];
      await expectAccepted({ dimensions, of: 'page', as: 'pipeline', indices: asked }, ofPage);
    });
  }
});
