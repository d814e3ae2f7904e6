/** The packed benchmark: what goes into it, and that its script runs everything in order with nothing but a shell. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNeededOfDawn, withDependencies } from '../../scripts/bench-pack';

const SCRIPTS = fileURLToPath(new URL('../../scripts/bench-pack', import.meta.url));

it('takes of Dawn what one system needs', () => {
  const needed = [
    'package.json',
    'index.js',
    'LICENSE.md',
    'build',
    'build/build.js',
    'types.d.ts',
    'dist',
    'dist/linux-x64',
    'dist/linux-x64/dawn.node',
    'dist/linux-arm64',
    'dist/win32-x64/dawn.node',
  ].filter((path) => path !== 'dist' && isNeededOfDawn(path));
  expect(needed).toEqual([
    'package.json',
    'index.js',
    'LICENSE.md',
    'dist/linux-x64',
    'dist/linux-x64/dawn.node',
  ]);
  // The folder itself must be gone into.
  expect(isNeededOfDawn('dist')).toBe(true);
});

it('takes what packages depend on, also in circles', () => {
  const dependencies: Record<string, string[]> = { a: ['c'], b: [], c: ['d', 'a'], d: [] };
  expect(withDependencies(['b', 'a'], (name) => dependencies[name] ?? [])).toEqual(['a', 'b', 'c', 'd']);
});

describe('run.sh', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cellstorm-pack-'));
    cpSync(SCRIPTS, folder, { recursive: true });
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'app'));
    mkdirSync(join(folder, 'lib/rare'), { recursive: true });
    writeFileSync(join(folder, 'lib/rare/libnobody-has-it.so.1'), '');
    mkdirSync(join(folder, 'lib/usual'), { recursive: true });
    writeFileSync(join(folder, 'lib/usual/libc.so.6'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** With a Node that only writes down what it was asked for. */
  function run(node: string): { code: number | null; out: string; error: string; asked: string[] } {
    const log = join(folder, 'asked');
    writeFileSync(log, '');
    writeFileSync(
      join(folder, 'bin/node'),
      `#!/bin/sh\nshift\necho "$LD_LIBRARY_PATH|$*" >> "${log}"\nout=$3\n${node}\n`,
    );
    chmodSync(join(folder, 'bin/node'), 0o755);
    const { status, stdout, stderr } = spawnSync('./run.sh', ['out'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', COUNTS: '5,6', REPEAT: '3' },
    });
    return { code: status, out: stdout, error: stderr, asked: readFileSync(log, 'utf8').trim().split('\n') };
  }

  it('asks for the adapter, then for every part, with libraries that the system has not', () => {
    const { code, error, asked } = run(`if [ "$1" = bench ]; then echo '"ended": 1' > "$out"; fi`);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(asked.map((line) => line.replace(/^.*\|/, '').split(' ').slice(0, 3).join(' '))).toEqual([
      'info',
      ...['check', 'large', 'scenes', 'one-cell', 'growth'].map(
        (name) => `bench --out ${join(folder, 'out', name)}.json`,
      ),
    ]);
    expect(asked[2]).toMatch(/--repeat 3 --backend gpu --scene uniform --count 5,6 /);
    for (const line of asked) expect(line.split('|')[0]).toBe(join(folder, 'lib/rare'));
  });

  it('goes on after a part without a record, or with one that was cut off, and says which', () => {
    const { code, error, asked } = run(
      '[ "$1" = info ] && exit 0; case "$out" in *large.json) echo "It is full." >&2; exit 1;; *check.json) echo \'"ended": 1, "status": "wrong"\' > "$out";; *growth.json) echo "{}" > "$out"; exit 139;; *) echo \'"ended": 1\' > "$out";; esac',
    );
    expect(code).toBe(1);
    expect(asked).toHaveLength(6);
    expect(error).toMatch(
      /It is full\.(?:.|\n)*wrong or failed in: check\.\nNo record of: large\..*\nCut off, .*: growth\./,
    );
  });

  it('stops with what is missing where there is no GPU', () => {
    const { code, error, asked } = run('echo "No adapter at all."; exit 1');
    expect(code).toBe(1);
    expect(asked).toHaveLength(1);
    expect(error).toMatch(/No adapter at all\.(?:.|\n)*README\.txt/);
  });
});

it('says the one command', () => {
  const text = readFileSync(join(SCRIPTS, 'README.txt'), 'utf8');
  expect(text).toMatch(/^ {4}\.\/run\.sh \[FOLDER\]$/m);
  expect(text).toMatch(/npm run bench:report -- FOLDER/);
});
