import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

test('bench:threads times one and several threads, and a probe of free cores', { tags: 'full' }, async () => {
  const flags = ['--steps', '5000', '--pairs', '5000', '--repeats', '2'];
  const program = ['--import', './scripts/register.mjs', 'bench/threads.ts', ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT });
  const rows = stdout.split('\n').filter((line) => /^\| [23]D/.test(line));
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    const [, , turns, one, many, ratio, , , gain] = row.split('|').map((cell) => cell.trim());
    expect(turns).toBe('2');
    for (const figure of [one, many, ratio, gain]) expect(Number(figure)).toBeGreaterThan(0);
  }
});
