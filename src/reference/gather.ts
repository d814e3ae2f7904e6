/**
 * Purpose: puts every particle into its canonical slot and moves its state there. Twin of
 * shaders/grid/gather.wgsl.
 * Inputs: entries grouped by bucket, starts, state in the order it was counted in.
 * Outputs: ids, bucket numbers and state in canonical order.
 * Ordering: buckets ascending, ids ascending inside a bucket. The GPU leaves the two buckets past the cells
 * in the order of the atomics; here they are sorted as well.
 */
import type { Entries } from './scatter';

/** Particles in cell order. `cells` holds bucket numbers: cells, quarantine, exit. */
export interface SortedState {
  readonly ids: Uint32Array;
  readonly cells: Uint32Array;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export function gatherParticles(
  dimensions: number,
  start: Uint32Array,
  entries: Entries,
  positions: Float32Array,
  velocities: Float32Array,
): SortedState {
  const count = entries.sources.length;
  const ids = new Uint32Array(count);
  const cells = new Uint32Array(count);
  const sources = new Uint32Array(count);
  for (let bucket = 0; bucket + 1 < start.length; bucket++) {
    const first = start[bucket] as number;
    const end = start[bucket + 1] as number;
    if (first === end) continue;
    const places = Array.from({ length: end - first }, (_, index) => first + index);
    places.sort((a, b) => (entries.ids[a] as number) - (entries.ids[b] as number));
    for (let slot = first; slot < end; slot++) {
      const place = places[slot - first] as number;
      ids[slot] = entries.ids[place] as number;
      sources[slot] = entries.sources[place] as number;
      cells[slot] = bucket;
    }
  }
  return {
    ids,
    cells,
    positions: permute(dimensions, positions, sources),
    velocities: permute(dimensions, velocities, sources),
  };
}

/** Vectors in another order, moved as bits: a NaN keeps its payload. */
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
