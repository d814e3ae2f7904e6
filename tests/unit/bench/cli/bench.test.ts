import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { exitCodeOf } from '../../../../bench/cli/bench';
import { describeRecord } from '../../../../bench/cli/table';
import { CPU_NAIVE } from '../../../../bench/engines/cpu/naive';
import type { CpuEngine } from '../../../../bench/harness/engine';
import { type CountedWork, parseRecord, STATUSES, type Status } from '../../../../bench/harness/record';
import { cellstorm, temporaryFolder } from '../../../helpers/command-line';

const folder = temporaryFolder();

describe('bench', () => {
  const small = [
    'bench',
    '--backend',
    'cpu',
    '--only',
    'cpu-naive,cpu-grid',
    '--count',
    '200,300',
    '--repeat',
    '3',
  ];

  it('lists engines and scenes', async () => {
    const { code, out } = await cellstorm('bench', '--list');
    expect(code).toBe(0);
    expect(out).toMatch(/^cpu-grid +cpu +cellstorm +\S/m);
    expect(out).toMatch(/^uniform +\S/m);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /cuda-grid gpu cellstorm [^.]*\. Left out without its program/,
    );
    const { out: whole } = await cellstorm('bench', '--list', '--native', 'a-program');
    expect(whole).not.toContain('Left out');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('prints a table with the fastest engine of each case first, and writes the record', async () => {
    const path = join(folder, 'record.json');
    const { code, out, error } = await cellstorm(...small, '--out', path);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out.split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    for (const count of [200, 300]) {
      const headline = lines.findIndex((line) => line.startsWith(`uniform 2D, ${count} bodies, `));
      const rows = lines.slice(headline + 1, headline + 3);
      expect(rows.map((row) => row.trim().split(' ')[0]).toSorted()).toEqual(['cpu-grid', 'cpu-naive']);
      expect(rows[0]).toMatch(/%.* 1\.0$/);
    }
    const record = JSON.parse(readFileSync(path, 'utf8'));
    expect(record).toMatchObject({ format: 'cellstorm-bench', seed: 1, repeat: 3, limit: 5000 });
    expect(record.ended > record.began).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(record.machine.copyBytesPerMs).toBeGreaterThan(0);
    expect(record.outcomes).toHaveLength(4);
    const against = await cellstorm(...small, '--csv', '--baseline', path);
    expect(against.code).toBe(0);
    expect(against.out.trim().split('\n')).toHaveLength(5);
    expect(against.error).toMatch(
      /^\nAgainst the baseline of \S+ \(\S+\): \d of 4 timings changed\s+beyond\s+the\s+noise\./,
    );
  });

  it('writes the record after each case, and reports times that only the baseline has', {
    tags: 'full',
  }, async () => {
    const path = join(folder, 'cases.json');
    const read = () => JSON.parse(readFileSync(path, 'utf8'));
    const written: [number, unknown][] = [];
    const spy = vi.spyOn(CPU_NAIVE as { open: CpuEngine['open'] }, 'open').mockImplementation(({ count }) => {
      if (count === 300) written.push([read().outcomes.length, read().ended]);
      throw new Error('The roof fell in.');
    });
    try {
      const { code } = await cellstorm(...small, '--csv', '--out', path);
      expect(code).toBe(1);
      // When the second case begins, the record holds the first and has no end time.
      expect(written).toEqual([[2, undefined]]);
      expect(read().outcomes).toHaveLength(4);
      const before = { ...read(), seed: 2 };
      before.outcomes = before.outcomes.map((outcome: { engine: string }) =>
        outcome.engine === 'cpu-naive' ? { ...read().outcomes[1], engine: 'cpu-naive' } : outcome,
      );
      writeFileSync(path, JSON.stringify(before));
      const { error } = await cellstorm(...small, '--csv', '--baseline', path);
      const message = error.replaceAll(/\s+/g, ' ');
      expect(message).toContain('The seed was 2 and is 1 now.');
      expect(message).toContain(
        'cpu-naive had a time on uniform 2D, 200 bodies, and has none now: failed. The roof fell in.',
      );
    } finally {
      spy.mockRestore();
    }
  });

  it('runs repeated names once, and prints the results if --out can no longer be written', {
    tags: 'full',
  }, async () => {
    const path = join(folder, 'away', 'record.json');
    mkdirSync(join(folder, 'away'));
    const spy = vi.spyOn(CPU_NAIVE as { open: CpuEngine['open'] }, 'open').mockImplementation(() => {
      rmSync(join(folder, 'away'), { recursive: true, force: true });
      throw new Error('The roof fell in.');
    });
    try {
      const twice = ['--scene', 'uniform,uniform', '--dimensions', '2,2'];
      const { code, out, error } = await cellstorm(...small, ...twice, '--csv', '--out', path);
      expect(code).toBe(1);
      expect(out.trim().split('\n')).toHaveLength(5);
      expect(error.match(/cannot be written now \(ENOENT\)/g)).toHaveLength(2);
      expect(error).toMatch(/cellstorm: --out is .*, but it could not be written \(ENOENT\)\.\n$/);
    } finally {
      spy.mockRestore();
    }
  });

  it('prints each reason once, in lines no longer than the terminal', () => {
    const outcome = { engine: 'a', backend: 'cpu', scene: 'uniform', dimensions: 2, count: 1000 } as const;
    const reason =
      'It is far too cold for this engine, which was made for warmer places than the one that is here.';
    const outcomes = [
      { ...outcome, status: 'refused', reason },
      { ...outcome, status: 'refused', reason, engine: 'b' },
      { ...outcome, status: 'refused', reason, count: 2000 },
    ] as const;
    const machine = { cpu: 'one', cores: 1, runtime: 'Node', copyBytesPerMs: 1, copyBytes: 1 };
    const about = { version: '0', commit: undefined, began: '', seed: 1, repeat: 3, limit: 1000 };
    const record = { format: 'cellstorm-bench', formatVersion: 2, ...about, machine, outcomes } as const;
    const lines = describeRecord(record, 60).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(
      `uniform 2D, 1,000 and 2,000: a, b refused. ${reason}`,
    );
  });

  it('lists the work of each engine below the times, and says which engine cannot tell its work', () => {
    const outcome = {
      backend: 'cpu',
      scene: 'uniform',
      dimensions: 2,
      count: 1000,
      status: 'timed',
    } as const;
    const total = { median: 1, p95: 1, least: 1, most: 1, spread: 0, samples: 3 };
    const shown = (works: readonly (CountedWork | undefined)[]) => {
      const outcomes = works.map((work, index) => ({ ...outcome, total, engine: `e${index}`, work }));
      const machine = { cpu: 'one', cores: 1, runtime: 'Node', copyBytesPerMs: 1, copyBytes: 1 };
      const about = { version: '0', commit: undefined, began: '', seed: 1, repeat: 3, limit: 1000 };
      const record = { format: 'cellstorm-bench', formatVersion: 2, ...about, machine, outcomes } as const;
      expect(parseRecord('it', JSON.stringify(record)).outcomes).toHaveLength(works.length);
      return describeRecord(record, 100).split('\n');
    };
    const lines = shown([
      { candidates: 8880, tests: 4440, pairs: 430, counted: 'formula' },
      { tests: 0, pairs: 0, counted: 'package' },
      undefined,
    ]);
    expect(
      lines
        .find((line) => line.includes('candidates  '))
        ?.trim()
        .split(/ {2,}/),
    ).toEqual([...['engine', 'candidates', 'tests', 'per body', 'hits', 'counted by']]);
    const rowsOf = (engine: string) =>
      lines.filter((line) => line.startsWith(`  ${engine} `)).map((line) => line.trim().split(/ {2,}/));
    expect(rowsOf('e0')[0]?.slice(-2)).toEqual(['cannot tell', '1.0']);
    expect(rowsOf('e0')[1]).toEqual(['e0', '8,880', '4,440', '4.44', '9.7%', 'formula']);
    expect(rowsOf('e1')[1]).toEqual(['e1', 'cannot tell', '0', '0.00', 'package']);
    expect(rowsOf('e2')[1]).toEqual(['e2', 'cannot tell', 'cannot tell']);
    // Older records have no counts.
    expect(shown([undefined]).join()).not.toContain('candidates');
  });

  it('names the device of native engines', () => {
    const outcome = { engine: 'a', backend: 'gpu', scene: 'uniform', dimensions: 2, count: 9 } as const;
    const times = { median: 1, p95: 1, least: 1, most: 1, spread: 0, samples: 3 };
    const device = {
      name: 'a CPU',
      clock: 'wall',
      clockStep: 1,
      copyBytesPerMs: 3e6,
      copyBytes: 2 ** 20,
    } as const;
    const outcomes = [{ ...outcome, status: 'timed', total: times, device: device.name } as const];
    const machine = {
      cpu: 'one',
      cores: 1,
      runtime: 'Node',
      copyBytesPerMs: 1,
      copyBytes: 1,
      devices: [device],
    };
    const about = { version: '0', commit: undefined, began: '', seed: 1, repeat: 3, limit: 1000 };
    const record = { format: 'cellstorm-bench', formatVersion: 2, ...about, machine, outcomes } as const;
    expect(describeRecord(record, 100).split('\n')).toContain(
      'a on a CPU, copies 3.0 GB/s (1 MiB each), timed by the wall clock in steps of 1 ns',
    );
  });

  it('leaves out a native engine without a program, or reports it as refused if --only names it', async () => {
    const { code, out } = await cellstorm('bench', '--only', 'cuda-grid', '--count', '9', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).outcomes).toMatchObject([{ engine: 'cuda-grid', status: 'refused' }]);
    // The scene rejects this many bodies, so no engine is opened.
    const enginesOf = async (...flags: string[]) => {
      const nothing = ['--backend', 'gpu', '--scene', 'one-cell', '--count', '5000', '--json'];
      const { outcomes } = JSON.parse((await cellstorm('bench', ...nothing, ...flags)).out);
      return outcomes.map(({ engine }: { engine: string }) => engine);
    };
    const without = await enginesOf();
    expect(without).toContain('gpu-grid');
    expect(without).not.toContain('cuda-grid');
    expect(await enginesOf('--native', process.execPath)).toContain('cuda-grid');
  });

  it('ends with exit code 1 if an engine was wrong or failed, but not if it was left out', async () => {
    const outcome = { engine: 'a', backend: 'cpu', scene: 'uniform', dimensions: 2, count: 1 } as const;
    const codeOf = (status: Status) => exitCodeOf([{ ...outcome, status }]);
    const isBad = (status: Status) => codeOf(status) === 1;
    expect(STATUSES.filter(isBad)).toEqual(['wrong', 'failed']);
  });

  it('runs engines on all bodies of a file, and names the line and value of an error', async () => {
    const path = join(folder, 'points.csv');
    writeFileSync(path, 'x,y\n0,0\n0.5,0.5\n8,8\n8.25,8\n');
    const flags = ['--backend', 'cpu', '--only', 'cpu-naive,cpu-bvh', '--repeat', '3'];
    const { code, out } = await cellstorm('bench', '--input', path, ...flags, '--json');
    expect(code).toBe(0);
    const { outcomes } = JSON.parse(out);
    const found = { pairs: 2 };
    const one = { scene: 'points.csv', dimensions: 2, count: 4, status: 'timed', found };
    expect(outcomes).toMatchObject([one, one]);
    writeFileSync(path, 'x,y\n0,0\n0.5,\n');
    const { code: wrong, error } = await cellstorm('bench', '--input', path, ...flags);
    expect(wrong).not.toBe(0);
    expect(error).toMatch(/points\.csv, line 3, column y is "", but it must be a finite number/);
  });

  it('runs only engines that are marked as default, unless --only names others or all', async () => {
    const { out } = await cellstorm('bench', '--list');
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /cpu-morton cpu cellstorm [^.]*\. Runs only if --only lists its name or "all"\./,
    );
    const enginesOf = async (...flags: string[]) => {
      const nothing = ['--backend', 'cpu', '--scene', 'one-cell', '--count', '5000', '--json'];
      const { outcomes } = JSON.parse((await cellstorm('bench', ...nothing, ...flags)).out);
      return outcomes.map(({ engine }: { engine: string }) => engine);
    };
    const [standard, all] = [await enginesOf(), await enginesOf('--only', 'all')];
    expect(standard).toContain('cpu-quadtree');
    expect(standard).not.toContain('cpu-morton');
    expect(all).toEqual(expect.arrayContaining([...standard, 'cpu-morton', 'cpu-hash-mix']));
    expect(await enginesOf('--only', 'cpu-morton')).toEqual(['cpu-morton']);
  });

  it.each([
    [['--input', 'nowhere.csv'], /^cellstorm: --input is nowhere\.csv, which cannot be read \(ENOENT\)\./],
    [['--input', 'a.csv', '--scene', 'uniform'], /--scene and --input both choose the bodies/],
    [['--radius', '2'], /--radius belongs to --input, which is missing/],
    [['--input', 'a.csv', '--radius', '0'], /--radius is 0, but it must be a number from 2\^-41 to 2\^59/],
    [['--only', 'quadtree'], /^cellstorm: --only is quadtree, but it must be one of /],
    [['--only', 'cpu-grid', '--backend', 'gpu'], /none of these runs on --backend gpu/],
    [['--scene', 'nowhere'], /^cellstorm: --scene is nowhere, but it must be one of all, uniform, /],
    [['--json', '--csv'], /both choose what is printed/],
    [
      ['--out', 'no/where/at/all.json'],
      /^cellstorm: --out is .*, but no\/where\/at cannot be written to \(ENOENT\)\./,
    ],
    [['--out', 'src'], /^cellstorm: --out is src, but it must be a file\./],
    [
      ['--out', 'package.json/a.json'],
      /^cellstorm: --out is .*, but package\.json cannot be written to \(ENOTDIR\)\./,
    ],
    [['--repeat', '2'], /^cellstorm: --repeat is 2, but it must be a whole number from 3 to 1000\./],
    [['--native', 'nowhere'], /^cellstorm: --native is nowhere, which cannot be run \(ENOENT\)\./],
    [
      ['--baseline', 'nowhere.json'],
      /^cellstorm: --baseline is nowhere\.json, which cannot be read \(ENOENT\)\./,
    ],
    [
      ['--baseline', 'package.json'],
      /^cellstorm: --baseline is "another kind of JSON", but it must be a record/,
    ],
  ])('rejects %j', async (flags, sentence) => {
    const { code, out, error } = await cellstorm('bench', ...flags);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(sentence);
  });
});
