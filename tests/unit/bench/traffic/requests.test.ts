import { expect, test } from 'vitest';
import { Cache } from '../../../../bench/traffic/cache';
import { noTraffic, RequestCounter, type Site } from '../../../../bench/traffic/requests';

const LOAD: Site = {
  buffer: 'buffer',
  binding: 0,
  kind: 'load',
  stride: 4,
  offset: 0,
  size: 4,
  address: 0,
  last: 1e6,
};

/** Counts the requests of one subgroup. A record is a key, a site and an index. */
function count(records: readonly (readonly [number, number, number])[], sites: readonly Site[] = [LOAD]) {
  const cache = new Cache(2 ** 20);
  const counter = new RequestCounter([cache]);
  for (const record of records) counter.add(...record);
  const sums = sites.map(noTraffic);
  counter.finish(sites, sums);
  return { cache, sums };
}

const lanes = Array.from({ length: 32 }, (_, lane) => lane);

test('records with the same key are one request, which touches each sector once', () => {
  const { sums, cache } = count(lanes.map((lane) => [7, 0, lane]));
  expect(sums).toEqual([{ requests: 1, sectors: 4, ideal: 4 }]);
  expect(cache.read).toBe(128);
});

test('records with different keys or sites are different requests', () => {
  const { sums } = count(
    lanes.flatMap((lane) => [[lane % 2, 0, lane] as const, [0, 1, lane] as const]),
    [LOAD, { ...LOAD, kind: 'store', address: 4096 }],
  );
  expect(sums).toEqual([
    { requests: 2, sectors: 8, ideal: 4 },
    { requests: 1, sectors: 4, ideal: 4 },
  ]);
});

test('an element may touch two sectors, and an index beyond the buffer touches its last element', () => {
  expect(count([[1, 0, 2]], [{ ...LOAD, stride: 12, size: 12 }]).sums).toEqual([
    { requests: 1, sectors: 2, ideal: 1 },
  ]);
  expect(
    count(
      [
        [1, 0, 5],
        [1, 0, 9],
      ],
      [{ ...LOAD, stride: 32, last: 5 }],
    ).sums[0]?.sectors,
  ).toBe(1);
});

test('tens of thousands of requests of a subgroup are counted, even in sectors at high addresses', () => {
  const many = 50_000;
  const records = Array.from({ length: many }, (_, key) => [key, 0, 8 * key] as const);
  const { sums } = count(records, [{ ...LOAD, address: 2 ** 28 }]);
  expect(sums).toEqual([{ requests: many, sectors: many, ideal: many }]);
});

test('each subgroup begins without requests', () => {
  const counter = new RequestCounter([]);
  const sums = [noTraffic()];
  for (let subgroup = 0; subgroup < 2; subgroup++) {
    for (const lane of lanes) counter.add(7, 0, lane);
    counter.finish([LOAD], sums);
  }
  expect(sums).toEqual([{ requests: 2, sectors: 8, ideal: 8 }]);
});
