/** Finds overlapping pairs by exact arithmetic: an oracle for the CPU engine, which decides exactly for any input. */
import { expect } from 'vitest';
import type { Dimensions } from '../../src/core/world/world';
import type { CpuGrid } from '../../src/cpu';

/** Caches results of `exact`, because each coordinate is part of many pairs. */
const known = new Map<number, bigint>();

/** Returns a finite value in units of 2⁻¹⁰⁷⁴, of which every double is a multiple. */
function exact(value: number): bigint {
  let whole = known.get(value);
  if (whole === undefined) {
    whole = divide(value);
    if (known.size > 10_000) known.clear();
    known.set(value, whole);
  }
  return whole;
}

function divide(value: number): bigint {
  let scaled = value;
  let shift = 0n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift++;
  }
  return BigInt(scaled) << (1074n - shift);
}

/** Returns whether two positions are closer than the exact sum of `diameter` and `rest`. */
export function exactOverlap(
  a: readonly number[],
  b: readonly number[],
  diameter: number,
  periods: readonly number[] = [],
  rest = 0,
): boolean {
  return isNearer(a.map(exact), b.map(exact), (exact(diameter) + exact(rest)) ** 2n, periods.map(exact));
}

function isNearer(
  a: readonly bigint[],
  b: readonly bigint[],
  reachSquared: bigint,
  periods: readonly bigint[],
): boolean {
  let squared = 0n;
  for (let axis = 0; axis < a.length; axis++) {
    let apart = (a[axis] as bigint) - (b[axis] as bigint);
    const period = periods[axis] ?? 0n;
    if (period > 0n) {
      const rest = ((apart % period) + period) % period;
      apart = 2n * rest > period ? period - rest : rest;
    }
    squared += apart * apart;
    if (squared >= reachSquared) return false;
  }
  return true;
}

export function vectorAt(positions: Float32Array, dimensions: Dimensions, particle: number): number[] {
  return Array.from(positions.subarray(dimensions * particle, dimensions * (particle + 1)));
}

/** Returns all overlapping pairs, sorted. */
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
  const exactPositions = vectors.map((vector) =>
    vector.every(Number.isFinite) ? vector.map(exact) : undefined,
  );
  const reachSquared = exact(diameter) ** 2n;
  const lengths = (periods ?? []).map(exact);
  exactPositions.forEach((a, first) => {
    if (!a) return;
    for (let second = first + 1; second < exactPositions.length; second++) {
      const b = exactPositions[second];
      if (b && isNearer(a, b, reachSquared, lengths)) pairs.push(first, second);
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

/** Expects that the four ways to get pairs report each pair once. */
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
