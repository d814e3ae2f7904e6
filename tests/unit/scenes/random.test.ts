import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/scenes';

describe('Random', () => {
  it('has the same sequence as in earlier versions', () => {
    const random = new Random(1);
    expect(Array.from({ length: 4 }, () => random.nextBits())).toMatchInlineSnapshot(`
      [
        1506684997,
        389392296,
        138374344,
        482077534,
      ]
    `);
  });

  it('fills a range evenly and stays inside it', () => {
    const random = new Random(123);
    const seen = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) {
      const value = random.between(-4, 5);
      seen[value + 4] = (seen[value + 4] as number) + 1;
    }
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(100_000);
    expect(Math.min(...seen)).toBeGreaterThan(9600);
    expect(Math.max(...seen)).toBeLessThan(10_400);
  });

  it('gives different numbers for neighbouring seeds', () => {
    const first = Array.from({ length: 1000 }, (_, seed) => new Random(seed).nextBits());
    expect(new Set(first).size).toBe(1000);
  });
});
