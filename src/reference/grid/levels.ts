/**
 * A plain grid of particles with variable radii, and an oracle of pairs. HashGrid must have the same arrays as this
 * grid. Ordering: buckets ascending, ids ascending in each bucket, quarantined particles last.
 */
import { FINER_STEPS } from '../../core/base/constants';
import { finerBuckets } from '../../core/world/cells';
import { bucketAt, finerBucket, latticeAt, levelOf } from '../../core/world/levels';
import type { World } from '../../core/world/world';
import { isFiniteParticle } from '../measure/finite';
import { minimumImageInDoubles } from '../solve/contact';
import { sortParticles } from './grid';

export interface LevelGrid {
  readonly ids: Uint32Array;
  /** The first slot of each bucket, then the first slot of the quarantine. */
  readonly start: Uint32Array;
  /** Slots of finer entries: bucket after bucket, ascending in each bucket. */
  readonly finer: Uint32Array;
  /** Per bucket that may have finer entries, the index of its first one in `finer`; then the end. */
  readonly finerStart: Uint32Array;
  /** Bit l is set if level l has particles. */
  readonly occupied: number;
}

export function buildLevelGrid(given: World, positions: Float32Array, radii: Float32Array): LevelGrid {
  const sorted = sortParticles(given, positions, undefined, undefined, { radii });
  const { ids, start, world } = sorted;
  const { cellCount } = world;
  const inCells = start[cellCount] as number;
  const levels = ids.subarray(0, inCells).map((id) => levelOf(world, radii[id] as number) as number);
  const occupied = levels.reduce((bits, level) => bits | (1 << level), 0);
  const buckets = finerBuckets(world);
  const finerEntries = Array.from({ length: buckets }, (): number[] => []);
  for (let slot = 0; slot < inCells; slot++) {
    for (let higher = (levels[slot] as number) + FINER_STEPS; higher < world.levels; higher++) {
      if (!(occupied & (1 << higher))) continue;
      const bucket = bucketAt(world, latticeAt(world, sorted.positions, slot, higher), higher);
      finerEntries[finerBucket(world, bucket) - finerBucket(world, cellCount - buckets)]?.push(slot);
    }
  }
  const finerStart = new Uint32Array(buckets > 0 ? buckets + 1 : 0);
  finerEntries.forEach((finer, bucket) => {
    finerStart[bucket + 1] = (finerStart[bucket] as number) + finer.length;
  });
  const finer = Uint32Array.from(finerEntries.flat());
  return { ids, start: start.subarray(0, cellCount + 1), finer, finerStart, occupied };
}

/** Tests every pair in doubles. The lower id of a pair comes first; pairs are sorted. */
export function bruteForceLevelPairs(
  world: World,
  positions: Float32Array,
  radii: Float32Array,
): Uint32Array {
  const { dimensions, period } = world;
  const pairs: number[] = [];
  const isUsable = (particle: number) =>
    levelOf(world, radii[particle] as number) !== undefined &&
    isFiniteParticle(dimensions, positions, particle);
  for (let a = 0; a < radii.length; a++) {
    if (!isUsable(a)) continue;
    for (let b = a + 1; b < radii.length; b++) {
      if (!isUsable(b)) continue;
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        const apart =
          (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
        squared += minimumImageInDoubles(apart, period[axis] as number) ** 2;
      }
      if (squared < ((radii[a] as number) + (radii[b] as number)) ** 2) pairs.push(a, b);
    }
  }
  return Uint32Array.from(pairs);
}
