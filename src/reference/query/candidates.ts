/**
 * With variable radii, lists each particle's candidates. Twin of shaders/levels/probe.wgsl. Two particles are
 * candidates if they are in the same cell or in adjacent cells on the higher of their levels. The lists serve until the
 * next sort, even if particles move. Slots in a list ascend; the lists of quarantined particles are empty.
 */
import { bucketAt, coarsened, levelOf, wrapCell } from '../../core/world/levels';
import type { World } from '../../core/world/world';
import type { SortedState } from '../grid/gather';
import { OFFSETS } from '../grid/offsets';

export function listCandidates(
  world: World,
  {
    cells,
    lattices,
    radii,
    start,
  }: Pick<SortedState, 'cells' | 'lattices' | 'radii'> & { start: Uint32Array },
): number[][] | undefined {
  if (!radii) return undefined;
  const { dimensions, cellCount, levels } = world;
  const candidates = Array.from(cells, (): number[] => []);
  const slotLevels = Array.from(radii, (radius) => levelOf(world, radius));
  for (let slot = 0; slot < (start[cellCount] as number); slot++) {
    const level = slotLevels[slot] as number;
    const own = Array.from(lattices.subarray(slot * dimensions, (slot + 1) * dimensions));
    for (let higher = level; higher < levels; higher++) {
      for (const neighbour of cellsAround(world, coarsened(world, own, level, higher), higher)) {
        const bucket = bucketAt(world, neighbour, higher);
        for (let other = start[bucket] as number; other < (start[bucket + 1] as number); other++) {
          // Several cells may share a bucket.
          const isThere = neighbour.every(
            (coordinate, axis) => lattices[other * dimensions + axis] === coordinate,
          );
          if (!isThere || other === slot) continue;
          candidates[slot]?.push(other);
          if (higher > level) candidates[other]?.push(slot);
        }
      }
    }
  }
  for (const others of candidates) others.sort((a, b) => a - b);
  return candidates;
}

function cellsAround(world: World, lattice: readonly number[], level: number): number[][] {
  return OFFSETS[world.dimensions].map((offset) => {
    const adjacent = lattice.map((coordinate, axis) => coordinate + (offset[axis] as number));
    return wrapCell(world, adjacent, level);
  });
}
