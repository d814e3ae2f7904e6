/**
 * Computes the cell and the bucket of a position, bit for bit as the bounded, periodic and unbounded worlds in
 * shaders/world do. WGSL rounds differences and products like Math.fround, but not quotients, so cells use inverses.
 * Magnitudes below 2⁻¹²⁶ become 0, since a GPU may flush them.
 */
import { FARTHEST_CELL, FINER_STEPS, HASH_BLOCK, HASH_BLOCK_SHIFT, SMALLEST_NORMAL } from '../base/constants';
import type { World } from './world';

const { fround } = Math;

export function snap(value: number): number {
  return Math.abs(value) < SMALLEST_NORMAL ? 0 : value;
}

/** Returns the cell along an axis with a ring, from 1 to `cells` − 2. */
export function cellCoordinate(
  position: number,
  origin: number,
  inverseCellSize: number,
  cells: number,
): number {
  const cell = Math.floor(snap(fround(snap(fround(position - origin)) * inverseCellSize))) + 1;
  return cell < 1 ? 1 : cell > cells - 2 ? cells - 2 : cell;
}

export function latticeCoordinate(world: World, position: number, axis: number): number {
  const { inverseCellSize } = world;
  if (world.kind === 'unbounded') {
    const farthest = fround(FARTHEST_CELL / inverseCellSize);
    const clamped = Math.min(Math.max(snap(position), -farthest), farthest);
    return Math.floor(snap(fround(clamped * inverseCellSize)));
  }
  const origin = world.min[axis] as number;
  const cells = world.cells[axis] as number;
  if (world.period[axis] === 0) return cellCoordinate(position, origin, inverseCellSize, cells);
  const inside = wrapOnce(world, position, axis);
  const cell = Math.floor(snap(fround(snap(fround(inside - origin)) * inverseCellSize)));
  return cell < 0 ? 0 : cell > cells - 1 ? cells - 1 : cell;
}

/**
 * Wraps a coordinate that is outside by at most one period. The result is at least `min` and below `min` + period. A
 * coordinate inside is unchanged.
 */
export function wrapOnce(world: Pick<World, 'min' | 'period'>, position: number, axis: number): number {
  const period = world.period[axis] as number;
  const low = world.min[axis] as number;
  if (period === 0) return position;
  const far = fround(low + period);
  if (snap(fround(position - low)) < 0) {
    const raised = fround(position + period);
    // Rounding may bring `raised` to the far end, or leave it just below the low end.
    return raised >= far || (raised < low && position >= fround(low - period)) ? low : raised;
  }
  return position >= far ? Math.max(low, fround(position - period)) : position;
}

/**
 * Wraps by any number of periods. Beyond one period, the result is rounded; if rounding moves it out of the box, it
 * becomes the low end.
 */
export function wrapAxis(world: Pick<World, 'min' | 'period'>, position: number, axis: number): number {
  const period = world.period[axis] as number;
  const low = world.min[axis] as number;
  const far = fround(low + period);
  const isBeyond = position < fround(low - period) || position >= fround(far + period);
  if (period === 0 || !isBeyond) return wrapOnce(world, position, axis);
  const periods = Math.floor(fround(fround(position - low) * fround(1 / period)));
  const moved = wrapOnce(world, fround(position - fround(period * periods)), axis);
  return moved >= low && moved < far ? moved : low;
}

/** Wraps positions, except those that are not finite. Copies the array only if a number changes. */
export function wrapPositions(world: World, positions: Float32Array): Float32Array {
  const { dimensions } = world;
  if (world.kind !== 'periodic') return positions;
  let wrapped = positions;
  for (let first = 0; first < positions.length; first += dimensions) {
    const position = positions.subarray(first, first + dimensions);
    if (!position.every(Number.isFinite)) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      const given = position[axis] as number;
      const moved = wrapAxis(world, given, axis);
      if (moved === given) continue;
      if (wrapped === positions) wrapped = positions.slice();
      wrapped[first + axis] = moved;
    }
  }
  return wrapped;
}

/**
 * Returns `position − other`, rounded; along a periodic axis, its minimum image. Swapping the two coordinates only
 * changes the sign. Across an end of the axis:
 * - In a box that begins at 0, the period is first subtracted from the higher coordinate, which is exact.
 * - In other boxes, the period is subtracted from the rounded difference, which rounds again.
 */
export function minimumImage(world: World, position: number, other: number, axis: number): number {
  const apart = fround(position - other);
  const period = world.period[axis] as number;
  if (period === 0) return apart;
  const periods = roundToEven(fround(apart * fround(1 / period)));
  if (world.min[axis] === 0 && periods === 1) return fround(fround(position - period) - other);
  if (world.min[axis] === 0 && periods === -1) return fround(position - fround(other - period));
  return fround(apart - fround(period * periods));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const over = value - floor;
  if (over !== 0.5) return over < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

export function latticeOfParticle(world: World, positions: ArrayLike<number>, particle: number): number[] {
  const first = particle * world.dimensions;
  return world.cells.map((_, axis) => latticeCoordinate(world, positions[first + axis] as number, axis));
}

/** Returns the cell's index, x fastest; in an unbounded world, the cell's bucket in the hashed table. */
export function bucketOfLattice(world: World, lattice: readonly number[]): number {
  if (world.kind === 'unbounded') return hashedBucket(world, lattice);
  let index = 0;
  for (let axis = world.dimensions - 1; axis >= 0; axis--) {
    index = index * (world.cells[axis] as number) + (lattice[axis] as number);
  }
  return index;
}

export function cellOfParticle(world: World, positions: ArrayLike<number>, particle: number): number {
  return bucketOfLattice(world, latticeOfParticle(world, positions, particle));
}

const PRIMES = [0x8da6b343, 0xd8163841, 0xcb1ab31f] as const;

/** The HASH_BLOCK cells of a block have consecutive buckets; the hash chooses the first. */
function hashedBucket(world: World, lattice: readonly number[]): number {
  const [x = 0, ...across] = lattice;
  const block = Math.imul(mixBlock([x >> HASH_BLOCK_SHIFT, ...across]), HASH_BLOCK) & (world.cellCount - 1);
  return block + (x & (HASH_BLOCK - 1));
}

export function mixBlock(block: readonly number[], seed = 0): number {
  let hash = seed;
  for (let axis = 0; axis < block.length; axis++) {
    hash ^= Math.imul(block[axis] as number, PRIMES[axis] as number);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

export function quarantineCell(world: World): number {
  return world.cellCount;
}

export function retiredCell(world: World): number {
  return world.cellCount + 1;
}

/**
 * Returns the number of words in `start`: one per bucket, then one each for the quarantine, for removed particles and
 * for the end. With finer entries, there is one more word per bucket that may have them, and one for their end.
 */
export function startLength(world: World): number {
  const buckets = finerBuckets(world);
  return world.cellCount + 3 + (buckets > 0 ? buckets + 1 : 0);
}

/** Returns whether the GPU may merge the lowest levels. Each sort decides how many. */
export function mergesLevels({ kind, levels }: Pick<World, 'kind' | 'levels'>): boolean {
  return kind === 'unbounded' && levels > 1;
}

/**
 * Returns the word of `start` with the number of merged levels. A scan may write beyond the words of startLength(), up
 * to the next multiple of four.
 */
export function mergedWord(world: World): number {
  return 4 * Math.ceil(startLength(world) / 4);
}

/** Returns the word of `start` at which obstacles begin, a multiple of four. */
export function firstObstacle(world: World): number {
  return mergedWord(world) + (world.kind === 'unbounded' && world.levels > 0 ? 4 : 0);
}

export function hasFiner({ levels }: Pick<World, 'levels'>): boolean {
  return levels > FINER_STEPS;
}

/** Returns how many buckets may have finer entries. */
export function finerBuckets(world: Pick<World, 'levels' | 'cellCount' | 'levelStarts'>): number {
  return hasFiner(world) ? world.cellCount - (world.levelStarts[FINER_STEPS] as number) : 0;
}

/** Returns how many bytes per slot store its cell: as an index in a box without levels, otherwise as coordinates. */
export function cellBytes(
  world: Pick<World, 'kind' | 'dimensions'> & Partial<Pick<World, 'levels'>>,
): number {
  if (world.kind !== 'unbounded' && !world.levels) return 4;
  return world.dimensions === 2 ? 8 : 16;
}
