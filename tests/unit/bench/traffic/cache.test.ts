import { expect, test } from 'vitest';
import { Cache, LINE_BYTES, SECTOR_BYTES, WAYS } from '../../../../bench/traffic/cache';
import { largeCacheBytes } from '../../../../bench/traffic/measure';

const SECTORS = 512;

function passOver(cache: Cache, sectors: number, loads = true, stores = false): Cache {
  for (let sector = 0; sector < sectors; sector++) cache.access(sector, loads, stores);
  return cache;
}

test('a working set that fits into the cache is read once', () => {
  const cache = new Cache(4 * SECTORS * SECTOR_BYTES);
  for (let pass = 0; pass < 3; pass++) passOver(cache, SECTORS);
  expect([cache.read, cache.written]).toEqual([SECTORS * SECTOR_BYTES, 0]);
});

test('a working set larger than the cache is read in each pass, because the oldest lines leave', () => {
  const cache = new Cache(WAYS * LINE_BYTES);
  expect(cache.bytes).toBe(WAYS * LINE_BYTES);
  for (let pass = 0; pass < 3; pass++) passOver(cache, SECTORS);
  expect(cache.read).toBe(3 * SECTORS * SECTOR_BYTES);
});

test('a line that was used recently stays while older ones leave', () => {
  const cache = new Cache(WAYS * LINE_BYTES);
  const sectorOf = (line: number) => (line * LINE_BYTES) / SECTOR_BYTES;
  for (let line = 0; line < 10 * WAYS; line++) {
    cache.access(sectorOf(line), true, false);
    cache.access(0, true, false);
  }
  expect(cache.read).toBe(10 * WAYS * SECTOR_BYTES);
});

test('stores read nothing, and each written sector is written back once', () => {
  const cache = new Cache(4 * SECTORS * SECTOR_BYTES);
  passOver(passOver(cache, SECTORS, false, true), SECTORS, false, true);
  expect([cache.read, cache.written]).toEqual([0, 0]);
  cache.flush();
  expect([cache.read, cache.written]).toEqual([0, SECTORS * SECTOR_BYTES]);
  cache.flush();
  expect(cache.written).toBe(SECTORS * SECTOR_BYTES);
  // After a flush, nothing is present.
  passOver(cache, 1);
  expect(cache.read).toBe(SECTOR_BYTES);
});

test('an atomic reads a sector and writes it', () => {
  const cache = passOver(new Cache(WAYS * LINE_BYTES), SECTORS, true, true);
  cache.flush();
  expect([cache.read, cache.written]).toEqual([SECTORS * SECTOR_BYTES, SECTORS * SECTOR_BYTES]);
});

test('the L2 of the model `large` is smaller for fewer particles, but holds three layers of cells if the real L2 does', () => {
  const bytes = (count: number, dimensions: 2 | 3) => largeCacheBytes({ count, dimensions, l2Bytes: 50e6 });
  expect(bytes(1e8, 2)).toBe(50e6);
  expect(bytes(1e9, 3)).toBe(50e6);
  expect(bytes(1e6, 2)).toBe(500_000);
  expect(bytes(65_536, 2)).toBe(3 * 48 * 256);
  expect(bytes(1e6, 3)).toBeCloseTo(3 * 48 * 1e4);
});
