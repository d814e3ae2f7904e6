/** Builds the grid. Default ids are 0, 1, 2 … */
import type { Sizes } from '../../core/particles/shapes';
import { mergeLevels } from '../../core/world/merged-levels';
import type { World } from '../../core/world/world';
import { listCandidates } from '../query/candidates';
import { countParticles } from './count';
import { gatherParticles, type SortedState } from './gather';
import { exclusiveScan } from './scan';
import { scatterParticles } from './scatter';

export interface Grid extends SortedState {
  /** The world with the cells into which the particles are sorted. In an unbounded world, levels may be merged. */
  readonly world: World;
  readonly start: Uint32Array;
  /** The slot of each id; NO_SLOT if no particle has the id. */
  readonly slots: Uint32Array;
  readonly candidates?: readonly (readonly number[])[] | undefined;
}

export const NO_SLOT = 0xffff_ffff;

export function buildGrid(
  world: World,
  positions: Float32Array,
  velocities: Float32Array = new Float32Array(positions.length),
  ids?: Uint32Array,
  sizes: Sizes = {},
): Grid {
  const sorted = sortParticles(world, positions, velocities, ids, sizes);
  const candidates = listCandidates(sorted.world, sorted);
  return { ...sorted, slots: slotsOf(sorted.ids), ...(candidates ? { candidates } : {}) };
}

export function sortParticles(
  given: World,
  positions: Float32Array,
  velocities: Float32Array = new Float32Array(positions.length),
  ids?: Uint32Array,
  sizes: Sizes = {},
): SortedState & Pick<Grid, 'start' | 'world'> {
  const count = positions.length / given.dimensions;
  const world = mergeLevels(given, positions, sizes.radii);
  const counts = countParticles(world, positions, count, ids, sizes.radii);
  const start = exclusiveScan(counts.counts);
  const entries = scatterParticles(start, counts, ids);
  return { ...gatherParticles(world, start, entries, positions, velocities, sizes), start, world };
}

function slotsOf(ids: Uint32Array): Uint32Array {
  let greatest = -1;
  // Ids of removed particles have RETIRED_BIT, so they get no slot.
  for (const id of ids) if (id > greatest && (id | 0) >= 0) greatest = id;
  const slots = new Uint32Array(greatest + 1).fill(NO_SLOT);
  for (let slot = 0; slot < ids.length; slot++) {
    const id = ids[slot] as number;
    if (id <= greatest) slots[id] = slot;
  }
  return slots;
}
