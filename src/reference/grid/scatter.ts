/** Groups particles by bucket, then by rank. Twin of shaders/grid/scatter.wgsl. Default ids are 0, 1, 2 … */
import type { Counts } from './count';

export interface Entries {
  readonly sources: Uint32Array;
  readonly ids: Uint32Array;
}

export function scatterParticles(
  start: Uint32Array,
  { cells, ranks }: Pick<Counts, 'cells' | 'ranks'>,
  ids?: Uint32Array,
): Entries {
  const sources = new Uint32Array(cells.length);
  const sortedIds = new Uint32Array(cells.length);
  for (let particle = 0; particle < cells.length; particle++) {
    const entry = (start[cells[particle] as number] as number) + (ranks[particle] as number);
    sources[entry] = particle;
    sortedIds[entry] = ids ? (ids[particle] as number) : particle;
  }
  return { sources, ids: sortedIds };
}
