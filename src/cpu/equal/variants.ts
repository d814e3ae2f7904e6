/** Chooses the search loops for a world. */
import type { Kernels } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { collectAll as collectAllHashed, collect as collectHashed, findCells } from './hashed';
import { PLANE } from './plane';
import { SPACE } from './space';
import { collectAll as collectAllWrapped, collect as collectWrapped } from './wrapped';

/** This is a function, not a table: bundlers keep a table that spreads objects, even if nothing uses the table. */
export function kernelsFor({ world, dimensions }: Pick<Lattice, 'world' | 'dimensions'>): Kernels {
  const bounded = dimensions === 2 ? PLANE : SPACE;
  if (world.kind === 'bounded') return bounded;
  if (world.kind === 'periodic') {
    return { ...bounded, collect: collectWrapped, collectAll: collectAllWrapped };
  }
  return { ...bounded, findCells, collect: collectHashed, collectAll: collectAllHashed };
}
