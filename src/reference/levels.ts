/**
 * Purpose: the grid of particles that each have a radius of their own, plain and slow: twin of what the passes of
 * HashGrid make with shaders/shared/levels.wgsl, and the pairs that brute force finds.
 * Inputs: packed positions, a radius each. Ordering: buckets ascending, ids ascending in each; what is set aside last.
 */
import { bucketAt, latticeAt, levelOf } from '../core/levels';
import type { World } from '../core/world';
import { nearestImage } from './contact';
import { isFiniteParticle } from './finite';

export interface LevelGrid {
  /** Index of the particle in each slot. */
  readonly ids: Uint32Array;
  /** First slot of each bucket, then of what is set aside. */
  readonly start: Uint32Array;
  /** Slots of particles of lower levels in the cells of each bucket, ascending, one after the other. */
  readonly guests: Uint32Array;
  /** How many there are before those of each bucket. */
  readonly guestStart: Uint32Array;
  /** A bit for each level that anyone is on. */
  readonly occupied: number;
}

export function buildLevelGrid(world: World, positions: Float32Array, radii: Float32Array): LevelGrid {
  const { dimensions, cellCount } = world;
  const buckets = Array.from(radii, (radius, particle) => {
    const level = levelOf(world, radius);
    if (level === undefined || !isFiniteParticle(dimensions, positions, particle)) return cellCount;
    return bucketAt(world, latticeAt(world, positions, particle, level), level);
  });
  const ids = Uint32Array.from(radii.keys()).sort(
    (a, b) => (buckets[a] as number) - (buckets[b] as number) || a - b,
  );
  const start = new Uint32Array(cellCount + 1);
  const hosts = Array.from({ length: cellCount }, (): number[] => []);
  // A level that nobody is on has no guests.
  const occupied = buckets.reduce(
    (levels, bucket, particle) =>
      bucket === cellCount ? levels : levels | (1 << (levelOf(world, radii[particle] as number) as number)),
    0,
  );
  ids.forEach((particle, slot) => {
    const bucket = buckets[particle] as number;
    if (bucket === cellCount) return;
    start[bucket + 1] = (start[bucket + 1] as number) + 1;
    const level = levelOf(world, radii[particle] as number) as number;
    for (let higher = level + 1; higher < world.levels; higher++) {
      if (!(occupied & (1 << higher))) continue;
      hosts[bucketAt(world, latticeAt(world, positions, particle, higher), higher)]?.push(slot);
    }
  });
  const guestStart = new Uint32Array(cellCount + 1);
  for (let bucket = 0; bucket < cellCount; bucket++) {
    start[bucket + 1] = (start[bucket + 1] as number) + (start[bucket] as number);
    guestStart[bucket + 1] = (guestStart[bucket] as number) + (hosts[bucket] as number[]).length;
  }
  return { ids, start, guests: Uint32Array.from(hosts.flat()), guestStart, occupied };
}

/** Every two that overlap, the lower id first, by the first and then the second, in doubles. */
export function bruteForceLevelPairs(
  world: World,
  positions: Float32Array,
  radii: Float32Array,
): Uint32Array {
  const { dimensions, period } = world;
  const pairs: number[] = [];
  const isThere = (particle: number) =>
    levelOf(world, radii[particle] as number) !== undefined &&
    isFiniteParticle(dimensions, positions, particle);
  for (let a = 0; a < radii.length; a++) {
    if (!isThere(a)) continue;
    for (let b = a + 1; b < radii.length; b++) {
      if (!isThere(b)) continue;
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) {
        const apart =
          (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
        squared += nearestImage(apart, period[axis] as number) ** 2;
      }
      if (squared < ((radii[a] as number) + (radii[b] as number)) ** 2) pairs.push(a, b);
    }
  }
  return Uint32Array.from(pairs);
}
