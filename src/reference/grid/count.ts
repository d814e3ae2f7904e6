/**
 * Counts the particles per bucket. Twin of shaders/grid/count.wgsl. After the cells, `counts` has the numbers of
 * quarantined and of removed particles, then zeros. A scan turns the first zero into the total. Ranks follow the order
 * of the input; on the GPU they depend on the atomics.
 */
import { startLength } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { bucketOfParticle } from '../measure/finite';

export interface Counts {
  readonly counts: Uint32Array;
  readonly cells: Uint32Array;
  readonly ranks: Uint32Array;
}

export function countParticles(
  world: World,
  positions: Float32Array,
  count: number,
  ids?: Uint32Array,
  radii?: Float32Array,
): Counts {
  const counts = new Uint32Array(startLength(world));
  const cells = new Uint32Array(count);
  const ranks = new Uint32Array(count);
  for (let particle = 0; particle < count; particle++) {
    const id = ids ? (ids[particle] as number) : particle;
    const cell = bucketOfParticle(world, positions, particle, id, radii);
    const rank = counts[cell] as number;
    cells[particle] = cell;
    ranks[particle] = rank;
    counts[cell] = rank + 1;
  }
  return { counts, cells, ranks };
}
