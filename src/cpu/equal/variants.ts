/** Chooses the search loops for a world. */
import type { Kernels } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import * as hashed from './hashed';
import { PLANE } from './plane';
import { SPACE } from './space';
import * as wrapped from './wrapped';

const WRAPPED = { collect: wrapped.collect, collectAll: wrapped.collectAll };
const HASHED = { findCells: hashed.findCells, collect: hashed.collect, collectAll: hashed.collectAll };

const VARIANTS = {
  bounded: { 2: PLANE, 3: SPACE },
  periodic: { 2: { ...PLANE, ...WRAPPED }, 3: { ...SPACE, ...WRAPPED } },
  unbounded: { 2: { ...PLANE, ...HASHED }, 3: { ...SPACE, ...HASHED } },
} as const;

export function kernelsFor({ world, dimensions }: Pick<Lattice, 'world' | 'dimensions'>): Kernels {
  return VARIANTS[world.kind][dimensions];
}
