import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNeededOfDawn, NATIVE_SOURCES, withDependencies } from '../../../scripts/bench-pack';

const SCRIPTS = fileURLToPath(new URL('../../../scripts/bench-pack', import.meta.url));
const NATIVE = fileURLToPath(new URL('../../../bench/native', import.meta.url));

it('the pack includes only the files of Dawn that one system needs', () => {
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
  // Without the folder itself, the copy would skip its contents.
  expect(isNeededOfDawn('dist')).toBe(true);
});

it('the pack includes all dependencies of packages, even if these depend on each other', () => {
  const dependencies: Record<string, string[]> = { a: ['c'], b: [], c: ['d', 'a'], d: [] };
  expect(withDependencies(['b', 'a'], (name) => dependencies[name] ?? [])).toEqual(['a', 'b', 'c', 'd']);
});

/** A fake Node that writes complete records. */
const WHOLE = `if [ "$1" = bench ]; then echo '"ended": 1' > "$out"; fi`;

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

  /** Runs run.sh with a fake Node, which logs its arguments. `variables` may set NVCC, the compiler. */
  function run(
    node: string,
    variables: Record<string, string> = {},
  ): { code: number | null; out: string; error: string; commands: string[] } {
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
      env: { PATH: '/usr/bin:/bin', COUNTS: '5,6', REPEAT: '3', NVCC: '', ...variables },
    });
    return {
      code: status,
      out: stdout,
      error: stderr,
      commands: readFileSync(log, 'utf8').trim().split('\n'),
    };
  }

  const bench = (name: string) => `bench --out ${join(folder, 'out', name)}.json`;

  it('prints the adapter, then runs every part, with the libraries that the system lacks', () => {
    const { code, error, commands } = run(WHOLE);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(commands.map((line) => line.replace(/^.*\|/, '').split(' ').slice(0, 3).join(' '))).toEqual([
      'info',
      bench('check'),
      'verify --exact',
      '--in node --count',
      '--square --cells 1024',
      ...['large', 'scenes', 'one-cell', 'order', 'boxes', 'growth'].map(bench),
    ]);
    expect(commands[3]).toMatch(/--count 5,6 .*--repeats 3 --queue 50 /);
    expect(commands[5]).toMatch(/--repeat 3 --backend gpu --scene uniform --count 5,6 /);
    for (const line of commands) expect(line.split('|')[0]).toBe(join(folder, 'lib/rare'));
  });

  it('runs only the parts in PARTS, and keeps the records of others', () => {
    const kept = join(folder, 'out/growth.json');
    writeFileSync(kept, 'kept');
    const { commands } = run(WHOLE, { PARTS: 'large,check' });
    expect(commands.slice(1).map((line) => /(\S+)\.json/.exec(line)?.[1])).toEqual(
      ['check', 'large'].map((name) => join(folder, 'out', name)),
    );
    expect(readFileSync(kept, 'utf8')).toBe('kept');
  });

  it('compiles the CUDA program if there is a compiler, and passes the program to all parts', () => {
    const nvcc = join(folder, 'nvcc');
    const compiler = (text: string) => {
      writeFileSync(nvcc, `#!/bin/sh\n${text}\n`);
      chmodSync(nvcc, 0o755);
      return { NVCC: nvcc };
    };
    const without = run(WHOLE);
    expect(without.out).toContain('nvcc was not found, so cuda-grid is left out.');
    expect(without.commands.join()).not.toContain('--native');
    const program = join(folder, 'out/cuda-grid');
    const good = run(WHOLE, compiler('echo "$@"'));
    expect(good.code).toBe(0);
    for (const line of good.commands.filter((line) => line.includes('|bench ')))
      expect(line).toMatch(new RegExp(` --native ${program}$`));
    expect(readFileSync(join(folder, 'out/nvcc.log'), 'utf8')).toBe(
      `-std=c++17 -O3 -arch=native -o ${program} ${join(folder, 'native/grid.cu')}\n`,
    );
    const bad = run(WHOLE, compiler('echo "It is no C++." >&2; exit 1'));
    expect(bad.code).toBe(1);
    expect(bad.error).toMatch(/^It is no C\+\+\.\ncuda-grid could not be compiled: see nvcc\.log\.\n$/);
    expect(bad.commands).toHaveLength(11);
    expect(bad.commands.join()).not.toContain('--native');
  });

  it('continues after parts that are wrong, cut off or without a record, and names them', () => {
    const { code, error, commands } = run(
      '[ "$1" = verify ] && exit 1; [ "$1" = bench ] || exit 0; case "$out" in *large.json) echo "It is full." >&2; exit 1;; *check.json) echo \'"ended": 1, "status": "wrong"\' > "$out";; *growth.json) echo "{}" > "$out"; exit 139;; *) echo \'"ended": 1\' > "$out";; esac',
    );
    expect(code).toBe(1);
    expect(commands).toHaveLength(11);
    expect(error).toMatch(
      /It is full\.(?:.|\n)*wrong or failed in: check exact\.\nThere is no record of: large\..*\nCut off, .*: growth\./,
    );
  });

  it('stops without a GPU, and says what is missing', () => {
    const { code, error, commands } = run('echo "No adapter at all."; exit 1');
    expect(code).toBe(1);
    expect(commands).toHaveLength(1);
    expect(error).toMatch(/No adapter at all\.(?:.|\n)*README\.txt/);
  });
});

it('the pack includes all sources of the CUDA program', () => {
  const included = NATIVE_SOURCES.flatMap((name) =>
    [...readFileSync(join(NATIVE, name), 'utf8').matchAll(/#include "(.*)"/g)].map(([, file]) => file),
  );
  for (const file of included) expect(NATIVE_SOURCES).toContain(file);
});

it('the README.txt of the pack documents its command', () => {
  const text = readFileSync(join(SCRIPTS, 'README.txt'), 'utf8');
  expect(text).toMatch(/^ {4}\.\/run\.sh \[FOLDER\]$/m);
  expect(text).toMatch(/npm run bench:report -- FOLDER/);
});
