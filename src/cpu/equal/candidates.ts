/** Counts the candidates: the pairs of particles in the same or in adjacent cells. */
import { countCandidates as countHashed } from './hashed';
import type { CellOrder } from './order';
import { countCandidates as countWrapped } from './wrapped';

export function countCandidates(order: CellOrder): number {
  const { lattice, keys, activeCount } = order;
  if (lattice.world.kind === 'unbounded') return countHashed(order);
  return lattice.world.kind === 'periodic' ? countWrapped(lattice, keys, activeCount) : countBounded(order);
}

function countBounded(order: CellOrder): number {
  const { keys, activeCount, lattice } = order;
  const { rowStride, layerStride } = lattice;
  // Per row ahead (with higher keys): the key of the first of its three cells, minus the key of the particle's cell.
  // The loop counts the particle's own row separately.
  const rowsAhead =
    lattice.dimensions === 2
      ? [rowStride - 1]
      : [rowStride - 1, layerStride - rowStride - 1, layerStride - 1, layerStride + rowStride - 1];
  let candidates = 0;
  let ownEnd = 0;
  const begins = rowsAhead.map(() => 0);
  const ends = rowsAhead.map(() => 0);
  for (let slot = 0; slot < activeCount; slot++) {
    const key = keys[slot] as number;
    while ((keys[ownEnd] as number) <= key + 1) ownEnd++;
    candidates += ownEnd - slot - 1;
    for (let row = 0; row < rowsAhead.length; row++) {
      const first = key + (rowsAhead[row] as number);
      let begin = begins[row] as number;
      let end = ends[row] as number;
      while ((keys[begin] as number) < first) begin++;
      while ((keys[end] as number) <= first + 2) end++;
      candidates += end - begin;
      begins[row] = begin;
      ends[row] = end;
    }
  }
  return candidates;
}
