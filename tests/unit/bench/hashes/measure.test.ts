import { describe, expect, it } from 'vitest';
import {
  HASHES,
  mixHash,
  mortonHash2D,
  mortonHash3D,
  teschnerHash,
} from '../../../../bench/engines/cpu/hash-functions';
import { createBenchScene } from '../../../../bench/harness/scenes';
import { cellsOf, countCollisions, describeHashes, timeHash } from '../../../../bench/hashes/measure';

describe('hash functions', () => {
  it('multiply by the constants of the paper (teschner)', () => {
    expect(teschnerHash(1, 0, 0)).toBe(73_856_093);
    expect(teschnerHash(0, 1, 0)).toBe(19_349_663);
    expect(teschnerHash(0, 0, 1)).toBe(83_492_791);
    expect(teschnerHash(1, 1, 1)).toBe((73_856_093 ^ 19_349_663 ^ 83_492_791) >>> 0);
    expect(teschnerHash(-1, 2, -3)).toBeGreaterThanOrEqual(0);
  });

  it('interleave bits, the lowest bit of x first (morton)', () => {
    const interleave = (coordinates: readonly number[], bits: number) => {
      let code = 0;
      for (let bit = 0; bit < bits; bit++) {
        coordinates.forEach((value, axis) => {
          code += ((value >>> bit) & 1) * 2 ** (coordinates.length * bit + axis);
        });
      }
      return code;
    };
    for (const [x, y, z] of [
      [0, 0, 0],
      [1, 2, 3],
      [1023, 5, 700],
      [421, 1000, 77],
    ] as const) {
      expect(mortonHash2D(x, y)).toBe(interleave([x, y], 16));
      expect(mortonHash3D(x, y, z)).toBe(interleave([x, y, z], 10));
    }
    expect(mortonHash2D(0xffff, 0xffff)).toBe(0xffff_ffff);
  });

  it('mix bits, so that one step along an axis changes about half of the low bits (mix)', () => {
    let changed = 0;
    for (let x = 0; x < 1000; x++) {
      let difference = (mixHash(x, 7, 9) ^ mixHash(x + 1, 7, 9)) & 0xffff;
      for (; difference; difference &= difference - 1) changed++;
    }
    expect(changed / 16_000).toBeGreaterThan(0.45);
    expect(changed / 16_000).toBeLessThan(0.55);
  });
});

describe('the measurement of hash functions', () => {
  const cells = Int32Array.from([0, 0, 0, 1, 0, 0, 1, 0, 0, 4, 0, 0, 0, 1, 0]);

  it('counts each cell once, and the cells that share a bucket', () => {
    // In 2D the Morton codes are 0, 1, 16 and 2. In a table of 16 buckets, 0 and 16 share one.
    expect(countCollisions(cells, false, 'morton', 16)).toEqual({
      cells: 4,
      sharing: 0.5,
      expected: 1 - (15 / 16) ** 3,
      fullest: 2,
    });
    expect(countCollisions(cells, false, 'morton', 32)).toMatchObject({ sharing: 0, fullest: 1 });
    expect(countCollisions(new Int32Array(0), false, 'mix', 8)).toMatchObject({ cells: 0, sharing: 0 });
  });

  it('finds no collisions for Morton codes of a full box, and as many as at random for mixed bits', () => {
    const all = cellsOf(createBenchScene('uniform', { dimensions: 2, count: 5000 }));
    const { sharing, expected } = countCollisions(all, false, 'mix', 2 ** 14);
    expect(sharing / expected).toBeGreaterThan(0.9);
    expect(sharing / expected).toBeLessThan(1.1);
    expect(countCollisions(all, false, 'morton', 2 ** 14).sharing).toBe(0);
  });

  it('times every hash', () => {
    let sum = 0;
    for (const hash of HASHES) {
      expect(timeHash(cells, true, hash, 97, (part) => (sum += part))).toBeGreaterThan(0);
    }
    expect(sum).toBeGreaterThan(0);
  });

  it('puts the result into words', () => {
    const row = { scene: 'uniform', dimensions: 2, buckets: 8, cells: 9, hash: 'mix' } as const;
    const rows = [
      { ...row, sharing: 0.5, expected: 0.5, fullest: 3, nanoseconds: 2 },
      { ...row, sharing: 0.9, expected: 0.5, fullest: 7, nanoseconds: 4, scene: 'line-x' },
      { ...row, sharing: 0.1, expected: 0.5, fullest: 2, nanoseconds: 6 },
    ];
    expect(describeHashes(rows)).toEqual([
      'mix: fewer cells share a bucket than at random in 1 of 3 tables, more in 1. At most 7 cells share a bucket (line-x 2D). A hash takes 4.0 ns on average.',
    ]);
  });
});
