import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { BenchRecord, Outcome } from '../../../../bench/harness/record';
import { columnsOf, nameOf, type WhichRecord, whichStructure } from '../../../../bench/report/which';
import { readRecords, withTables } from '../../../../bench/structures';

const PAGE = fileURLToPath(new URL('../../../../docs/structures.md', import.meta.url));

function outcome(engine: string, scene: string, count: number, build: number, query: number): Outcome {
  const times = (least: number) => ({
    least,
    median: 2 * least,
    most: 3 * least,
    p95: 3 * least,
    spread: 0,
    samples: 3,
  });
  return {
    engine,
    backend: 'cpu',
    scene,
    dimensions: 2,
    count,
    status: 'timed',
    build: times(build),
    query: times(query),
    total: times(build + query),
    memoryPerBody: 40,
    work: { candidates: 3 * count, tests: 2 * count, pairs: count, counted: 'loop' },
  };
}

function recordOf(began: string, outcomes: readonly Outcome[]): WhichRecord {
  const machine = {
    cpu: 'AMD EPYC',
    cores: 2,
    runtime: 'Node v20',
    load: 11.6,
    copyBytesPerMs: 1,
    copyBytes: 1,
  };
  const record = { began, machine, outcomes, commit: 'abc' } as unknown as BenchRecord;
  return { path: 'bench/results/x.json', command: 'npm run bench', record };
}

describe('the tables of the page "Which structure when"', () => {
  const old = recordOf('2026-01-01', [
    outcome('cpu-grid', 'uniform', 100, 9, 9),
    outcome('other', 'uniform', 100, 1, 1),
  ]);
  const recent = recordOf('2026-01-02', [
    outcome('cpu-grid', 'uniform', 10, 1, 1),
    outcome('cpu-grid', 'uniform', 100, 1, 3),
    outcome('other', 'uniform', 100, 7.9, 0.1),
    outcome('late', 'uniform', 100, 0.5, 11.5),
  ]);

  it('have a row for each engine, with its figures in the newest record at the greatest count', () => {
    const columns = columnsOf([recent, old]);
    expect(columns.map(({ name }) => name)).toEqual(['uniform 2D']);
    const text = whichStructure([recent, old]);
    expect(text).toContain('| `createCpuGrid` | 1.0 |');
    expect(text).toContain('| `other` | 2.0 |');
    expect(text).toContain('| `late` | 3.0 |');
    expect(text).toContain('| `other` | 7.90 | 0.100 | 40 | 2.00 |');
    expect(nameOf('cpu-bvh')).toBe('BVH');
  });

  it('say which structure is the fastest for few and for many queries', () => {
    expect(whichStructure([recent])).toContain('| uniform 2D | `late` | `createCpuGrid` | `other` |');
  });

  it('name the command and the machine of each record', () => {
    expect(whichStructure([recent])).toContain(
      '- `bench/results/x.json`: `npm run bench` (2 cores of AMD EPYC, Node v20, load 12, 2026-01-02, commit abc)',
    );
  });

  it('are those that the committed records give', async () => {
    const records = await readRecords();
    expect(records.map(({ command }) => command?.startsWith('npm run bench -- '))).not.toContain(false);
    const page = await readFile(PAGE, 'utf8');
    expect(page).toBe(withTables(page, whichStructure(records)));
  });

  it('cannot be written into a page that lacks the lines around them', () => {
    expect(() => withTables('no lines', '')).toThrow('docs/structures.md lacks the lines');
  });
});
