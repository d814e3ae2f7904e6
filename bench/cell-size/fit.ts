/**
 * Fits three costs to measured times: per candidate, per cell, and per range (a row of cells that a search visits).
 * Uses the shortest times, because other work disturbs them least. Sets some costs to 0 if the best fit would otherwise
 * have negative costs.
 */
import type { CellSizeRow } from './measure';

/** Costs in nanoseconds. */
export interface Costs {
  readonly candidate: number;
  readonly cell: number;
  readonly range: number;
  /** Root mean square of the relative errors. */
  readonly error: number;
}

type Sample = Pick<CellSizeRow, 'candidates' | 'cells' | 'ranges' | 'least'>;

export function fitCosts(samples: readonly Sample[]): Costs {
  // Divide each row by its measured time, so that errors are relative. A perfect fit predicts 1 in every row.
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
    if (!solved.every((cost) => cost >= 0 && cost < Number.POSITIVE_INFINITY)) continue;
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
  if (!best) throw new Error('No costs of 0 or more fit the times; measure more densities and sizes.');
  return best;
}

function sum<Item>(items: readonly Item[], read: (item: Item, index: number) => number): number {
  return items.reduce((total, item, index) => total + read(item, index), 0);
}

/** Gauss-Jordan elimination, for a positive definite matrix. A singular matrix may give results that are not finite. */
function solve(matrix: number[][], rightHandSide: number[]): number[] {
  const size = rightHandSide.length;
  const rows = matrix.map((row, index) => [...row, rightHandSide[index] as number]);
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
