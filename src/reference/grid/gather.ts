/**
 * Moves all state into canonical order. Twin of shaders/grid/gather.wgsl.
 * Ordering: buckets ascending, ids ascending inside a bucket. The GPU leaves the last two buckets unsorted; they hold
 * the quarantined and the removed particles.
 */

import type { Sizes } from '../../core/particles/shapes';
import { latticeOfParticle, wrapOnce } from '../../core/world/cells';
import { latticeAt, levelOf } from '../../core/world/levels';
import type { World } from '../../core/world/world';
import type { Entries } from './scatter';

export interface SortedState extends Sizes {
  readonly ids: Uint32Array;
  readonly cells: Uint32Array;
  /** Per slot, the coordinates of the particle's cell on its level, or NOWHERE if it has none. */
  readonly lattices: Int32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export const NOWHERE = 0x7fff_ffff;

export function gatherParticles(
  world: World,
  start: Uint32Array,
  entries: Entries,
  positions: Float32Array,
  velocities: Float32Array,
  sizes: Sizes = {},
): SortedState {
  const { dimensions } = world;
  const count = entries.sources.length;
  const ids = new Uint32Array(count);
  const cells = new Uint32Array(count);
  const sources = new Uint32Array(count);
  for (let bucket = 0; bucket + 1 < start.length; bucket++) {
    const first = start[bucket] as number;
    const end = start[bucket + 1] as number;
    if (first === end) continue;
    const order = Array.from({ length: end - first }, (_, index) => first + index);
    order.sort((a, b) => (entries.ids[a] as number) - (entries.ids[b] as number));
    for (let slot = first; slot < end; slot++) {
      const entry = order[slot - first] as number;
      ids[slot] = entries.ids[entry] as number;
      sources[slot] = entries.sources[entry] as number;
      cells[slot] = bucket;
    }
  }
  const sorted = permute(dimensions, positions, sources);
  const sortedSizes = permuteSizes(dimensions, sizes, sources);
  const { radii: sortedRadii } = sortedSizes;
  const lattices = new Int32Array(count * dimensions).fill(NOWHERE);
  for (let slot = 0; slot < count; slot++) {
    if ((cells[slot] as number) >= world.cellCount) continue;
    const level = sortedRadii && levelOf(world, sortedRadii[slot] as number);
    const lattice =
      level === undefined ? latticeOfParticle(world, sorted, slot) : latticeAt(world, sorted, slot, level);
    lattices.set(lattice, slot * dimensions);
    if (world.kind === 'periodic') wrapPosition(world, sorted, slot);
  }
  return {
    ids,
    cells,
    lattices,
    positions: sorted,
    velocities: permute(dimensions, velocities, sources),
    ...sortedSizes,
  };
}

function wrapPosition(world: World, positions: Float32Array, slot: number): void {
  const first = slot * world.dimensions;
  for (let axis = 0; axis < world.dimensions; axis++) {
    positions[first + axis] = wrapOnce(world, positions[first + axis] as number, axis);
  }
}

export function permuteSizes(
  dimensions: number,
  { radii, halves, bulks, loads }: Sizes,
  sources: Uint32Array,
): Sizes {
  return {
    ...(radii ? { radii: permute(1, radii, sources) } : {}),
    ...(halves ? { halves: permute(dimensions, halves, sources) } : {}),
    ...(bulks ? { bulks: permute(1, bulks, sources) } : {}),
    ...(loads ? { loads: permute(1, loads, sources) } : {}),
  };
}

/** Copies bits, so that a NaN keeps its payload. */
export function permute(dimensions: number, vectors: Float32Array, sources: Uint32Array): Float32Array {
  const moved = new Float32Array(sources.length * dimensions);
  const from = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  const to = new Uint32Array(moved.buffer);
  for (let slot = 0; slot < sources.length; slot++) {
    const source = (sources[slot] as number) * dimensions;
    for (let axis = 0; axis < dimensions; axis++) {
      to[slot * dimensions + axis] = from[source + axis] as number;
    }
  }
  return moved;
}
