/**
 * Purpose: overlapping pairs by exact arithmetic, as an oracle for the CPU engine, whose decisions are exact on any
 * input; and what all its ways to give pairs must agree on.
 */
import { expect } from 'vitest';
import type { Dimensions } from '../../src/core/world';
import type { CpuGrid } from '../../src/cpu';

/** A double as a whole number of 2⁻¹⁰⁷⁴, by long division: shares nothing with the code under test. */
function exact(value: number): bigint {
  let scaled = value;
  let shift = 0n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift++;
  }
  return BigInt(scaled) << (1074n - shift);
}

/** Closer than `diameter`, or than the sum of it and `rest`. */
export function exactOverlap(
  a: readonly number[],
  b: readonly number[],
  diameter: number,
  periods: readonly number[] = [],
  rest = 0,
): boolean {
  const squares = a.map((value, axis) => {
    const difference = exact(value) - exact(b[axis] as number);
    const period = exact(periods[axis] ?? 0);
    if (period === 0n) return difference ** 2n;
    const rest = ((difference % period) + period) % period;
    return (2n * rest > period ? period - rest : rest) ** 2n;
  });
  return squares.reduce((sum, square) => sum + square, 0n) < (exact(diameter) + exact(rest)) ** 2n;
}

export function vectorAt(positions: Float32Array, dimensions: Dimensions, particle: number): number[] {
  return Array.from(positions.subarray(dimensions * particle, dimensions * (particle + 1)));
}

/** All overlapping pairs, sorted, by looking at every pair in exact arithmetic. */
export function oracle(
  positions: Float32Array,
  dimensions: Dimensions,
  diameter: number,
  periods?: readonly number[],
): number[] {
  const pairs: number[] = [];
  const vectors = Array.from({ length: positions.length / dimensions }, (_, particle) =>
    vectorAt(positions, dimensions, particle),
  );
  vectors.forEach((a, first) => {
    for (let second = first + 1; second < vectors.length; second++) {
      const b = vectors[second] as number[];
      if ([...a, ...b].every(Number.isFinite) && exactOverlap(a, b, diameter, periods))
        pairs.push(first, second);
    }
  });
  return pairs;
}

export function sortedPairs(flat: Iterable<number>): number[] {
  const words = [...flat];
  const pairs: [number, number][] = [];
  for (let word = 0; word < words.length; word += 2)
    pairs.push([words[word] as number, words[word + 1] as number]);
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]).flat();
}

/** The four ways to get pairs agree with the oracle; each pair once. */
export function expectPairs(
  grid: Pick<CpuGrid, 'findPairs' | 'countPairs' | 'collectPairs' | 'forEachPair'>,
  expected: number[],
): void {
  const found = grid.findPairs();
  expect([...found.pairs]).toEqual(expected);
  expect(found.count).toBe(expected.length / 2);
  expect(grid.countPairs()).toBe(expected.length / 2);
  const collected = grid.collectPairs();
  expect(sortedPairs(collected.pairs.subarray(0, 2 * collected.count))).toEqual(expected);
  const visited: number[] = [];
  grid.forEachPair((first, second) => visited.push(first, second));
  expect(sortedPairs(visited)).toEqual(expected);
}
