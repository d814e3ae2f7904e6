import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../src/cpu';
import { conclusionOf } from '../../../src/verify/answers';
import { EXACT_CASES, exactHash, verifyExact } from '../../../src/verify/golden';
import { reportOf } from '../../../src/verify/report';
import type { VerifyCase } from '../../../src/verify/verify';

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
