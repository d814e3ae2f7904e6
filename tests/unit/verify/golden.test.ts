import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../src/cpu';
import { conclusionOf } from '../../../src/verify/answers';
import { EXACT_CASES, exactHash, verifyExact } from '../../../src/verify/golden';
import { LONG_HASHES } from '../../../src/verify/golden-hashes';
import { LONG_COUNTS, LONG_SCENES, longHashes, longName } from '../../../src/verify/golden-long';
import { reportOf } from '../../../src/verify/report';
import type { VerifyCase } from '../../../src/verify/verify';
import { DIMENSIONS } from '../../helpers/passes';

const BASE = { version: '0', runtime: '', adapter: '', options: {}, complaints: [], notes: [], seconds: 0 };
const CPU = { createCpu: createCpuSimulation };

describe('the recorded hashes of exact simulations', () => {
  it.each(Object.entries(EXACT_CASES))('are those of the CPU engine: %s', async (name, { hashes }) => {
    expect({ 2: await exactHash(CPU, name, 2), 3: await exactHash(CPU, name, 3) }).toEqual(hashes);
  });

  it('are compared case by case, and counted', async () => {
    const cases: VerifyCase[] = [];
    for await (const found of verifyExact(CPU, [2])) cases.push(found);
    expect(cases.map(({ pass }) => pass)).toEqual(Object.keys(EXACT_CASES).map(() => true));
    const conclude = (all: typeof cases) => conclusionOf(reportOf({ ...BASE, cases: all }));
    expect(conclude(cases)).toMatch(/^8 of 8 checks passed\. .* This device: 8 of 8 recorded hashes\.$/);
    const wrong = cases.map((one, index) => ({ ...one, pass: index > 0 }));
    expect(conclude(wrong)).toMatch(/This device: 7 of 8 recorded hashes\.$/);
  });
});

describe('the recorded hashes of long exact simulations', () => {
  it('are those of all scenes, after three numbers of steps', () => {
    const names = LONG_COUNTS.flatMap((count) =>
      LONG_SCENES.flatMap((scene) => DIMENSIONS.map((dimensions) => longName(scene, dimensions, count))),
    );
    expect(Object.keys(LONG_HASHES)).toEqual(names);
    expect(new Set(Object.values(LONG_HASHES).flat()).size).toBe(3 * names.length);
  });

  describe.each(DIMENSIONS)('in %dD', (dimensions) => {
    it('match the CPU engine up to step 100, while particles come and go', async () => {
      const expected = LONG_HASHES[longName('script', dimensions, 1000)]?.slice(0, 2);
      expect(await longHashes(CPU, 'script', dimensions, 1000, [1, 100])).toEqual(expected);
    });

    it.each(LONG_SCENES)('match the CPU engine in the first steps: %s', { tags: 'full' }, async (scene) => {
      for (const [count, marks] of [
        [1000, [1, 100]],
        [20_000, [1]],
      ] as const) {
        const expected = LONG_HASHES[longName(scene, dimensions, count)]?.slice(0, marks.length);
        expect(await longHashes(CPU, scene, dimensions, count, marks)).toEqual(expected);
      }
    });

    it('match the CPU engine up to the last step', { tags: 'full', timeout: 120_000 }, async () => {
      const expected = LONG_HASHES[longName('pile', dimensions, 1000)];
      expect(await longHashes(CPU, 'pile', dimensions, 1000)).toEqual(expected);
    });
  });
});
