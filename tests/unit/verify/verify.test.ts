import { expect, it } from 'vitest';
import { describeCaps } from '../../../src/verify/verify';

it('verify reports which checks it omits for larger counts', () => {
  const notes = describeCaps({ scenes: ['one-cell'], counts: [0, 5000, 100_000] }).join('\n');
  expect(notes).toMatch(
    /In the scene one-cell, resolved contacts, lists of pairs, events, kernels, the CPU index and cells of other sizes were checked up to 512 particles only\./,
  );
  for (const what of ['Queries were', 'Cells of other sizes were', 'The CPU index was']) {
    expect(notes).toContain(`${what} checked up to 4096 particles only.`);
  }
  expect(notes).toMatch(/Lists of pairs, events and kernels were checked up to 70000 particles only\./);
  expect(describeCaps({ scenes: ['lattice'], counts: [4096] })).toEqual([]);
});
