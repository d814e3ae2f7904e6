import { expect, it } from 'vitest';
import { createCpuSimulation } from '../../../src/cpu';
import { conclusionOf, type VerifyReport } from '../../../src/verify/answers';
import { hashOfAll, reportOf } from '../../../src/verify/report';
import { type VerifyCase, verify } from '../../../src/verify/verify';

const found = (hash?: string, pass = true): VerifyCase => ({
  ...{ scene: 'pile', dimensions: 2, count: 4, check: 'repeats', detail: '', pass },
  ...(hash && { hash }),
});

const report = (changes: Partial<VerifyReport>) =>
  reportOf({
    ...{ version: '0', runtime: 'none', adapter: 'none', options: {}, cases: [found()] },
    ...{ complaints: [], notes: [], seconds: 0, ...changes },
  });

it('a report passes only if every check did, the GPU reported nothing, and nothing ended the run', () => {
  expect(report({}).pass).toBe(true);
  expect(report({ cases: [found(), found(undefined, false)] }).pass).toBe(false);
  expect(report({ complaints: ['a wrong binding'] }).pass).toBe(false);
  expect(report({ error: 'The run was stopped.' }).pass).toBe(false);
});

it('the hash of all states depends on each state hash and on their order', () => {
  const [one, other] = [found('0123456789abcdef'), found('fedcba9876543210')];
  const hashes = [[], [one], [other], [one, other], [other, one]].map(hashOfAll);
  expect(new Set(hashes).size).toBe(hashes.length);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{16}$/);
  // Cases without a state hash do not matter.
  expect(hashOfAll([found(), one, found()])).toBe(hashOfAll([one]));
});

it('the last line counts the checks, or says what ended the run', () => {
  expect(conclusionOf(report({ cases: [found(), found(undefined, false)] }))).toMatch(
    /^1 of 2 checks passed\. Hash of all states: [0-9a-f]{16}\.$/,
  );
  expect(conclusionOf(report({ error: 'The run was stopped.' }))).toBe('The run was stopped.');
});

it('the check `repeats` of verify takes the given number of steps, hashes the last state, and reports its progress', async () => {
  const steps: [string, number, number][] = [];
  const run = async (options: object) => {
    const cases: VerifyCase[] = [];
    const all = { scenes: ['lattice'], counts: [1, 4, 4], dimensions: [2] as const, ...options };
    for await (const one of verify({ createCpu: createCpuSimulation }, all, (...step) => steps.push(step)))
      cases.push(one);
    return cases.filter(({ hash }) => hash !== undefined);
  };
  const usual = await run({});
  expect(usual.map(({ count, check }) => [count, check])).toEqual([
    [1, 'repeats'],
    [4, 'repeats'],
  ]);
  for (const { hash, detail } of usual) expect(detail).toContain(` hash ${hash} after 12 steps`);
  const [first, last] = [steps[0], steps.at(-1)];
  expect(first).toEqual([expect.stringMatching(/^lattice 2D, 1 particle: /), 0, 2]);
  expect(last?.[0]).toMatch(/^lattice 2D, 4 particles: /);
  expect(last?.[1]).toBeGreaterThan(1.5);
  expect(last?.[1]).toBeLessThan(2);
  const [short] = await run({ steps: 1 });
  expect(short?.detail).toMatch(/ after 1 steps$/);
  await expect(run({ steps: 0 })).rejects.toThrow(/^steps is 0, but it must be/);
});
