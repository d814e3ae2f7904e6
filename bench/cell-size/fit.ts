/**
 * Purpose: costs of a candidate, a cell and a range that fit the least measured times, which other work on the machine
 * disturbs least: least squares of the relative errors, none of the costs negative. With three unknowns, every choice
 * of those that are not zero is solved and the best kept.
 */
import type { CellSizeRow } from './measure';

/** Nanoseconds each. */
export interface Costs {
  readonly candidate: number;
  readonly cell: number;
  readonly range: number;
  /** Root of the mean square of the relative errors. */
  readonly error: number;
}

type Sample = Pick<CellSizeRow, 'candidates' | 'cells' | 'ranges' | 'least'>;

export function fitCosts(samples: readonly Sample[]): Costs {
  // Each row divided by its time: what is wanted is 1.
  const rows = samples.map(({ candidates, cells, ranges, least }) =>
    [candidates, cells, ranges].map((value) => value / least),
  );
  let best: Costs | undefined;
  for (let chosen = 1; chosen < 8; chosen++) {
    const columns = [0, 1, 2].filter((column) => chosen & (1 << column));
    const solved = solve(
      columns.map((a) => columns.map((b) => sum(rows, (row) => (row[a] as number) * (row[b] as number)))),
      columns.map((a) => sum(rows, (row) => row[a] as number)),
    );
    if (!solved.every((cost) => cost >= 0)) continue;
    const costs = [0, 1, 2].map((column) => solved[columns.indexOf(column)] ?? 0);
    const square = sum(
      rows,
      (row) => (sum(costs, (cost, column) => cost * (row[column] as number)) - 1) ** 2,
    );
    const error = Math.sqrt(square / rows.length);
    if (best && best.error <= error) continue;
    const [candidate, cell, range] = costs as [number, number, number];
    best = { candidate, cell, range, error };
  }
  if (!best) throw new Error('No costs fit.');
  return best;
}

function sum<Item>(items: readonly Item[], of: (item: Item, index: number) => number): number {
  return items.reduce((total, item, index) => total + of(item, index), 0);
}

/** Gauss's way, for a matrix that is positive definite or singular (then NaN). */
function solve(matrix: number[][], right: number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, index) => [...row, right[index] as number]);
  for (let pivot = 0; pivot < size; pivot++) {
    for (let other = 0; other < size; other++) {
      if (other === pivot) continue;
      const source = rows[pivot] as number[];
      const target = rows[other] as number[];
      const share = (target[pivot] as number) / (source[pivot] as number);
      for (let column = pivot; column <= size; column++) {
        target[column] = (target[column] as number) - share * (source[column] as number);
      }
    }
  }
  return rows.map((row, index) => (row[size] as number) / (row[index] as number));
}
