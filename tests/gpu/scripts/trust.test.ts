import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allowsNoGpu } from '../../../src/testing/environment';
import { temporaryFolder } from '../../helpers/command-line';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const folder = temporaryFolder();

function run(command: 'soak' | 'faults', ...flags: string[]) {
  const out = join(folder, `${flags.join('')}.json`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/run.mjs', `scripts/${command}.ts`, ...flags, '--out', out],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr, results: () => JSON.parse(readFileSync(out, 'utf8')) };
}

describe.skipIf(allowsNoGpu())('a command that tests long runs or faults', () => {
  test.each([
    ['soak', 'gpu-steps', ['--steps', '500']],
    ['soak', 'cpu-steps', ['--steps', '500']],
    ['soak', 'cycles', ['--cycles', '1']],
    ['faults', 'lost-destroyed', ['--object', 'RadixSort']],
    ['faults', 'lost-unknown', ['--object', 'GridParticles']],
    ['faults', 'memory', ['--object', 'GridParticles']],
    ['faults', 'limits', ['--object', 'RadixSort']],
    ['faults', 'scenes', ['--scenes', '48', '--gpu-scenes', '2']],
    ['faults', 'damage', ['--files', '400']],
  ] as const)(
    'passes in a short version: %s, part %s',
    { tags: 'full', timeout: 300_000 },
    (command, part, flags) => {
      const { status, output, results } = run(command, '--only', part, ...flags);
      expect(output).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
      expect(status).toBe(0);
      expect(results().parts[part]).toMatchObject({ failed: 0, driver: expect.any(String) });
    },
  );

  test('rejects an unknown part', { tags: 'full' }, () => {
    const { status, output } = run('faults', '--only', 'nothing');
    expect(output).toBe(
      '--only is nothing, but it must be part of one of these names: lost-destroyed, lost-unknown, memory, limits, scenes, damage.\n',
    );
    expect(status).toBe(2);
  });
});
