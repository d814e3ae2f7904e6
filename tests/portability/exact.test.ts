import { afterAll, describe, expect, test } from 'vitest';
import { chooseDriver, thisMachine } from '../../src/node/drivers';
import { allowsNoGpu } from '../../src/testing/environment';
import { LONG_HASHES } from '../../src/verify/golden-hashes';
import { LONG_SCENES, type LongScene, longName } from '../../src/verify/golden-long';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import { DIMENSIONS } from '../helpers/passes';
import { runsAll } from '../helpers/tiers';
import type { ExactQuestion, ExactReport } from './entries/exact';

const COUNT = 1000;
const ENTRY = 'tests/portability/entries/exact.ts';

const deno = new DenoEntry<ExactQuestion, ExactReport>(ENTRY);
const onSwiftShader = new DenoEntry<ExactQuestion, ExactReport>(ENTRY, 'swiftshader');
afterAll(() => Promise.all([deno.close(), onSwiftShader.close()]));

const skipsSwiftShader = chooseDriver(thisMachine(), 'swiftshader') === undefined && allowsNoGpu();

async function expectRecorded(
  process: typeof deno,
  scene: LongScene,
  dimensions: 2 | 3,
  marks: readonly number[],
  count = COUNT,
): Promise<void> {
  const { gpu, cpu, complaints } = await process.ask({ scene, dimensions, count, marks });
  const expected = LONG_HASHES[longName(scene, dimensions, count)]?.slice(0, marks.length);
  expect(complaints).toEqual([]);
  expect({ gpu, cpu }).toEqual({ gpu: expected, cpu: expected });
}

describe.skipIf(skipsDeno)(`exact simulations under wgpu on ${denoDriver}`, () => {
  for (const scene of LONG_SCENES) {
    const options = { tags: scene === 'pile' ? [] : ['full'] };
    test.each(DIMENSIONS)(`give the recorded hashes in %dD: ${scene}`, options, (dimensions) =>
      expectRecorded(deno, scene, dimensions, runsAll ? [1, 100] : [1]),
    );
  }

  test('give the recorded hashes of 20,000 particles', { tags: ['full'] }, () =>
    expectRecorded(deno, 'pile', 2, [1, 100], 20_000),
  );
});

describe.skipIf(skipsSwiftShader)('exact simulations under wgpu on SwiftShader', () => {
  for (const scene of LONG_SCENES) {
    test.each(DIMENSIONS)(`give the recorded hashes in %dD: ${scene}`, { tags: ['full'] }, (dimensions) =>
      expectRecorded(onSwiftShader, scene, dimensions, [1, 100]),
    );
  }
});
