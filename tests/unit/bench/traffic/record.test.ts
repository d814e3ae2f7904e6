import { describe, expect, test } from 'vitest';
import type { TrafficCase } from '../../../../bench/traffic/measure';
import { readOptions } from '../../../../bench/traffic/options';
import { compareRecords, formatRecord, parseRecord, recordOf } from '../../../../bench/traffic/record';
import { formatCase, formatChanges, formatSites } from '../../../../bench/traffic/table';

const HEAD = { commit: 'abc', driver: 'SwiftShader', l2Bytes: 50e6, steps: 8 };
const COUNT = 1000;

function caseOf(read: number, label = 'grid.scatter', program: 'grid' | 'step' = 'grid'): TrafficCase {
  const kernel = {
    dispatches: 1,
    requests: (4 * COUNT) / 32,
    sectors: (76 * COUNT) / 32,
    ideal: (24 * COUNT) / 32,
    large: { read: read * COUNT, written: 32 * COUNT },
    own: { read: 0, written: 5 * COUNT },
    sites: [
      { buffer: 'start', kind: 'load', requests: COUNT / 32, sectors: COUNT, ideal: COUNT / 8 },
      { buffer: 'entries', kind: 'store', requests: COUNT / 32, sectors: 2 * COUNT, ideal: COUNT / 8 },
      { buffer: 'unused', kind: 'load', requests: 0, sectors: 0, ideal: 0 },
    ],
  };
  return {
    program,
    scene: 'uniform',
    dimensions: 2,
    count: COUNT,
    l2Bytes: 50e6,
    order: 'random',
    lost: 0,
    kernels: [
      { ...kernel, label },
      { ...kernel, label: 'grid.scan.reduce' },
      { ...kernel, label: 'grid.scan.apply' },
    ],
  };
}

describe('a record', () => {
  test('is read back unchanged from the text of its file', () => {
    const record = recordOf([caseOf(44)], HEAD);
    expect(parseRecord('a.json', formatRecord(record))).toEqual(record);
    expect(formatRecord(record)).toContain('\n   "grid.scatter": [0.125,2.375,0.75,44,32,0,5],\n');
  });

  test('of another kind is refused with the name of its file', () => {
    expect(() => parseRecord('a.json', '{')).toThrow(
      /^a\.json is not JSON, but it must be a record of "npm run bench:traffic"/,
    );
    expect(() => parseRecord('a.json', '{"figures":["requests"],"cases":[]}')).toThrow(
      /^a\.json is a record with other figures/,
    );
  });

  test('is compared with another: a kernel counts as changed if a figure differs by more than 1%', () => {
    const before = recordOf([caseOf(44)], HEAD);
    expect(compareRecords(before, recordOf([caseOf(44.3)], HEAD))).toEqual({ added: [], changed: [] });
    const after = recordOf([caseOf(30, 'grid.scatter.ids'), caseOf(44, 'solve.resolve', 'step')], HEAD);
    const changes = compareRecords(before, after);
    expect(changes.added).toEqual(['step uniform 2D 1000 random']);
    expect(changes.changed.map(({ kernel }) => kernel)).toEqual([
      'grid.scatter',
      'grid.scan.reduce',
      'grid.scan.apply',
      'grid.scatter.ids',
    ]);
    const text = formatChanges(changes);
    expect(text).toContain('44.0 → 30.0');
    expect(text).toContain('none → 30.0');
    expect(formatChanges({ added: [], changed: [] })).toBe('Nothing changed.');
    expect(formatChanges({ added: ['a'], changed: [] })).toBe(
      'Cases that the record lacks: a\nNothing else changed.',
    );
  });
});

describe('the table', () => {
  test('sums kernels per pass, and also shows the bytes that bench/NOTES.md counts by hand, and the times', () => {
    const [one] = recordOf([caseOf(44)], HEAD).cases;
    const lines = formatCase(one as NonNullable<typeof one>, 4e12)
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(lines[0]).toEqual(['grid, uniform, 2D, 1,000 particles in random order']);
    expect(lines[2]).toEqual(['scatter', '4.0', '19.0', '6.0', '44', '32', '76', '76', '1.90', '5']);
    expect(lines[3]).toEqual(['scan', '8.0', '19.0', '6.0', '88', '64', '152', '50', '3.80', '10']);
    expect(lines.map(([name]) => name).slice(4)).toEqual(['grid.scan.reduce', 'grid.scan.apply', 'all']);
    expect(lines.at(-1)?.slice(6, 8)).toEqual(['228', '300']);
  });

  test('shows the goal of a step, and how many accesses are missing', () => {
    const [one] = recordOf([{ ...caseOf(44, 'solve.resolve', 'step'), lost: 3 }], HEAD).cases;
    const text = formatCase(one as NonNullable<typeof one>, 4e12);
    expect(text).toContain('goal 250');
    expect(text).toContain('3 accesses are missing');
  });

  test('lists the accesses of a kernel, those with the most sectors first', () => {
    const rows = formatSites(caseOf(44)).split('\n');
    expect(rows[1]).toMatch(/^grid\.scatter +entries +store +1\.00 +64\.0 +4\.0 +2\.00$/);
    expect(rows[2]).toMatch(/^grid\.scatter +start +load +1\.00 +32\.0 +4\.0 +1\.00$/);
    expect(rows).toHaveLength(7);
  });
});

describe('flags', () => {
  test('have defaults: all scenes with 65,536 particles', () => {
    const { requests, bandwidth } = readOptions([]);
    expect(requests).toHaveLength(8);
    expect(requests[0]).toEqual({
      program: 'grid',
      scene: 'uniform',
      count: 65_536,
      dimensions: 2,
      l2Bytes: 50e6,
      steps: 8,
    });
    expect(bandwidth).toBe(4.3e12);
  });

  test('choose cases', () => {
    const { requests, sites } = readOptions(
      '--count 1e3,2000 --scene pile --dimensions 3 --sites'.split(' '),
    );
    expect(requests.map(({ scene, count, dimensions }) => [scene, count, dimensions])).toEqual([
      ['pile', 1000, 3],
      ['pile', 2000, 3],
    ]);
    expect(sites).toBe(true);
  });

  test.each([
    ['--count 5e6', '--count is 5e6, but it must be a whole number from 1 to 4000000.'],
    ['--scene heap', '--scene is heap, but it must be one of grid, uniform, pile, clustered.'],
    ['--bandwidth 0', '--bandwidth is 0, but it must be above 0 TB/s, such as 4.3.'],
    ['--speed 1', 'The flags are --count, --scene'],
  ])('%s is refused', (flags, message) => {
    expect(() => readOptions(flags.split(' '))).toThrow(message);
  });
});
