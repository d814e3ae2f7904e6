/** Compares arrays of numbers, and shows the first differences in a small table. */
import { AssertionError } from 'node:assert';

const MOST_ROWS = 10;

/**
 * Expects the same length and the same values, compared by Object.is: −0 differs from 0, and NaN equals NaN. Throws an
 * AssertionError with a table of the first ten differences; `label` begins its message.
 *
 * @example
 * ```ts
 * import { expectArraysEqual } from 'cellstorm/testing';
 *
 * expectArraysEqual(Uint32Array.of(1, 2), [1, 2], 'ids');
 * ```
 */
export function expectArraysEqual<T extends number | bigint>(
  got: ArrayLike<T>,
  expected: ArrayLike<T>,
  label: string,
): void {
  compare(got, expected, label, 'differ', Object.is);
}

/**
 * Expects the same length, and values at most `bound` apart. NaN and infinities are never close to anything. Throws an
 * AssertionError with a table of the first ten differences; `label` begins its message.
 *
 * @example
 * ```ts
 * import { expectArraysWithin } from 'cellstorm/testing';
 *
 * expectArraysWithin(Float32Array.of(0.1), [0.1], 1e-7, 'weights');
 * ```
 */
export function expectArraysWithin(
  got: ArrayLike<number>,
  expected: ArrayLike<number>,
  bound: number,
  label: string,
): void {
  compare(got, expected, label, `are more than ${bound} apart`, (a, b) => Math.abs(a - b) <= bound);
}

function compare<T>(
  got: ArrayLike<T>,
  expected: ArrayLike<T>,
  label: string,
  complaint: string,
  agree: (got: T, expected: T) => boolean,
): void {
  const rows: string[][] = [];
  const count = Math.min(got.length, expected.length);
  let mismatches = 0;
  for (let index = 0; index < count; index++) {
    const pair = [got[index] as T, expected[index] as T] as const;
    if (agree(...pair)) continue;
    mismatches++;
    if (mismatches <= MOST_ROWS) rows.push([index, ...pair].map(formatValue));
  }
  const lengths =
    got.length === expected.length
      ? `${mismatches} of ${got.length} values ${complaint}`
      : `${got.length} values instead of ${expected.length}; of the first ${count}, ${mismatches} ${complaint}`;
  if (got.length === expected.length && mismatches === 0) return;
  throw new AssertionError({ message: `${label}: ${lengths}.${formatTable(rows)}`, stackStartFn: compare });
}

function formatValue(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function formatTable(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const table = [['index', 'got', 'expected'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) => `\n  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`)
    .join('');
}
