import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../../../bench/harness/compare';
import {
  type BenchRecord,
  FORMAT,
  FORMAT_VERSION,
  growthsOf,
  type Outcome,
  parseRecord,
  toCsv,
} from '../../../../bench/harness/record';

describe('a record', () => {
  const outcome = (engine: string, count: number, median: number, spread = 0.01): Outcome => ({
    engine,
    backend: 'cpu',
    scene: 'uniform',
    dimensions: 2,
    count,
    status: 'timed',
    total: { median, p95: median, least: median, most: median, spread, samples: 5 },
  });
  const record = (outcomes: Outcome[]): BenchRecord => ({
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version: '0',
    commit: undefined,
    began: '2026-01-01T00:00:00Z',
    ended: '2026-01-01T00:01:00Z',
    seed: 1,
    repeat: 5,
    limit: 5000,
    machine: { cpu: 'one', cores: 1, runtime: 'Node', copyBytesPerMs: 1, copyBytes: 1 },
    outcomes,
  });

  it('computes how times grow, and the count above which the naive engine is slower', () => {
    const counts = [1000, 2000, 5000, 10_000];
    const outcomes = counts.flatMap((count) => [
      outcome('cpu-naive', count, count ** 2 / 1e6),
      outcome('cpu-grid', count, count / 300),
    ]);
    const [naive, grid] = growthsOf(outcomes);
    expect(naive).toMatchObject({ engine: 'cpu-naive', crossover: undefined });
    expect(naive?.exponent).toBeCloseTo(2, 9);
    expect(grid?.exponent).toBeCloseTo(1, 9);
    expect(grid?.crossover).toBeCloseTo(1e6 / 300, 6);
    const empty = [outcome('cpu-naive', 0, 0.001), outcome('cpu-grid', 0, 0.002)];
    expect(growthsOf([...empty, outcome('cpu-grid', 10, 0), ...outcomes])).toEqual([naive, grid]);
  });

  it('holds counts of work, in JSON and CSV, and rejects counts that are malformed', () => {
    const work = { candidates: 60, tests: 40, pairs: 10, counted: 'loop' } as const;
    const counted = { ...outcome('a', 10, 1), work };
    const hidden = { ...outcome('b', 10, 1), work: { tests: 5, pairs: 5, counted: 'package' } as const };
    const text = JSON.stringify(record([counted, hidden, outcome('c', 10, 1)]));
    expect(parseRecord('it', text).outcomes.map((one) => one.work)).toEqual([work, hidden.work, undefined]);
    const [head = '', ...rows] = toCsv([counted, hidden, outcome('c', 10, 1)])
      .trim()
      .split('\n');
    const first = head.split(',').indexOf('candidates');
    expect(head.split(',').slice(first, first + 5)).toEqual([
      ...['candidates', 'tests', 'tests_per_body', 'hit_ratio', 'counted'],
    ]);
    expect(rows.map((row) => row.split(',').slice(first, first + 5))).toEqual([
      ['60', '40', '4', '0.25', 'loop'],
      ['', '5', '0.5', '1', 'package'],
      ['', '', '', '', ''],
    ]);
    for (const bad of [
      null,
      {},
      { ...work, tests: -1 },
      { ...work, counted: 'guess' },
      { ...work, candidates: 'x' },
    ]) {
      const broken = JSON.stringify(record([{ ...counted, work: bad as typeof work }]));
      expect(() => parseRecord('it', broken)).toThrow(/malformed/);
    }
  });

  it('reports changes beyond the noise of both records', () => {
    const before = record([
      outcome('a', 10, 100),
      outcome('b', 10, 100),
      outcome('c', 10, 100, 0.3),
      outcome('d', 10, 1),
    ]);
    const after = record([
      outcome('a', 10, 120),
      outcome('b', 10, 80),
      outcome('c', 10, 120),
      outcome('e', 10, 1),
    ]);
    const { changes, differences, losses, notRun, added } = compareRecords(before, after);
    expect(changes.map(({ engine, verdict }) => [engine, verdict])).toEqual([
      ['a', 'slower'],
      ['b', 'faster'],
      ['c', 'the same'],
    ]);
    expect({ differences, losses, notRun, added }).toEqual({
      differences: [],
      losses: [],
      notRun: 1,
      added: 1,
    });
  });

  it('reports how two runs differ, and which times were lost', () => {
    const wrong = { ...outcome('a', 10, 1), status: 'wrong', reason: 'Too few.', total: undefined } as const;
    const before = record([outcome('a', 10, 100), outcome('b', 10, 1)]);
    const after: BenchRecord = {
      ...record([wrong, outcome('b', 10, 1)]),
      seed: 2,
      repeat: 6,
      limit: 1000,
      machine: { ...before.machine, adapter: 'another' },
    };
    const { changes, differences, losses } = compareRecords(before, after);
    expect(changes.map(({ engine }) => engine)).toEqual(['b']);
    expect(differences).toEqual([
      'The seed was 1 and is 2 now. The bodies differ, so the times are not comparable.',
      'The adapter was not recorded and is another now.',
      'The number of rounds was 5 and is 6 now.',
      'The limit was 5000 ms and is 1000 ms now.',
    ]);
    expect(losses).toEqual([
      { engine: 'a', scene: 'uniform', dimensions: 2, count: 10, status: 'wrong', reason: 'Too few.' },
    ]);
    // An engine that was wrong before had no time, so it lost none.
    expect(compareRecords(after, after).losses).toEqual([]);
  });

  it('is read back unchanged, and a text that is not a valid record is rejected', () => {
    const whole = record([
      outcome('a', 10, 100),
      { ...outcome('b', 10, 1), status: 'failed', total: undefined },
    ]);
    expect(parseRecord('baseline', JSON.stringify(whole))).toEqual(JSON.parse(JSON.stringify(whole)));
    for (const [text, value] of [
      ['{', 'not JSON'],
      ['null', 'another kind of JSON'],
      ['{"format":"x"}', 'another kind of JSON'],
      [JSON.stringify({ ...whole, formatVersion: 1 }), 'format version 1'],
      [JSON.stringify({ ...whole, outcomes: [{}] }), 'a record whose outcomes are missing or malformed'],
      [
        JSON.stringify({ ...whole, outcomes: [{ ...whole.outcomes[0], total: undefined }] }),
        'a record whose outcomes are missing or malformed',
      ],
      ...[{ dimensions: 4 }, { backend: 'tpu' }, { count: -1 }, { total: { median: 1 } }].map((changes) => [
        JSON.stringify({ ...whole, outcomes: [{ ...whole.outcomes[0], ...changes }] }),
        'a record whose outcomes are missing or malformed',
      ]),
      ...[{ began: undefined }, { machine: {} }, { machine: undefined }].map((changes) => [
        JSON.stringify({ ...whole, ...changes }),
        'a record that lacks its date or its machine',
      ]),
    ]) {
      expect(() => parseRecord('baseline', text as string)).toThrow(
        `baseline is "${value}", but it must be a record of "cellstorm bench --json", format version 2.`,
      );
    }
  });

  it('can be written as CSV with any text in its cells', () => {
    const csv = toCsv([{ ...outcome('a', 10, 100), reason: 'said "no", left' }]);
    const [head, line] = csv.split('\n');
    expect(head?.split(',').slice(0, 4)).toEqual(['scene', 'dimensions', 'count', 'engine']);
    expect(line).toMatch(/^uniform,2,10,a,cpu,,timed,,,,100,.*,"said ""no"", left"$/);
  });
});
