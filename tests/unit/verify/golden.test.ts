import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../src/cpu';
import { EXACT_CASES, exactConclusion, exactHash, verifyExact } from '../../../src/verify/golden';

const CPU = { createCpu: createCpuSimulation };

describe('the recorded hashes of exact simulations', () => {
  it.each(Object.entries(EXACT_CASES))('are those of the CPU engine: %s', async (name, { hashes }) => {
    expect({ 2: await exactHash(CPU, name, 2), 3: await exactHash(CPU, name, 3) }).toEqual(hashes);
  });

  it('are compared case by case, and counted', async () => {
    const cases = [];
    for await (const found of verifyExact(CPU, [2])) cases.push(found);
    expect(cases.map(({ pass }) => pass)).toEqual(Object.keys(EXACT_CASES).map(() => true));
    expect(exactConclusion(cases)).toBe('This device: 6 of 6 hashes.');
    const wrong = cases.map((one, index) => ({ ...one, pass: index > 0 }));
    expect(exactConclusion(wrong)).toBe('This device: 5 of 6 hashes.');
  });
});
