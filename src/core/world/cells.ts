/**
 * Computes the cell and the bucket of a position, bit for bit as shaders/world/*.wgsl do. Also wraps positions and
 * computes minimum images in periodic worlds.
 * WGSL rounds differences and products correctly, like Math.fround here. It does not promise that for quotients, so
 * shaders multiply by inverses that the host computes. Both this file and the shaders set magnitudes below 2⁻¹²⁶ to
 * zero, since a GPU may flush them.
 */
import { FARTHEST_CELL, HASH_BLOCK, HASH_BLOCK_SHIFT, SMALLEST_NORMAL } from '../base/constants';
import type { World } from './world';

const { fround } = Math;

/** Returns 0 if a GPU may flush the value to 0, otherwise the value. */
export function snap(value: number): number {
  return Math.abs(value) < SMALLEST_NORMAL ? 0 : value;
}

/** Returns the coordinate of a position's cell along an axis with a ring, clamped into the world: 1 to cells − 2. */
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
 * Wraps a coordinate that lies outside the box by at most one period. The result is at least `min` and below `min` +
 * period. Returns the coordinate unchanged if it is in the box or the axis is not periodic.
 */
export function wrapOnce(world: Pick<World, 'min' | 'period'>, position: number, axis: number): number {
  const period = world.period[axis] as number;
  const low = world.min[axis] as number;
  if (period === 0) return position;
  const far = fround(low + period);
  if (snap(fround(position - low)) < 0) {
    const raised = fround(position + period);
    // Rounding may bring `raised` to the far end, or leave it just below the low end if `position` was one period
    // below. In both cases, return the low end.
    return raised >= far || (raised < low && position >= fround(low - period)) ? low : raised;
  }
  return position >= far ? Math.max(low, fround(position - period)) : position;
}

/**
 * Wraps a coordinate that lies outside the box by any number of periods. If it is more than one period outside, the
 * result is rounded. If it is so far out that rounding moves the result out of the box, returns the low end.
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

/**
 * Wraps packed positions into a periodic world, except positions that are not finite. Copies the array if any number
 * changes; otherwise returns the same array.
 */
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
 * Returns `position − other`, rounded; along a periodic axis, its minimum image. Swapping the two only changes the
 * sign.
 * If the pair lies across an end of the axis:
 * - In a box that begins at 0, first subtracts the period from the higher coordinate. This step is exact, so only the
 *   difference is rounded, as for other pairs.
 * - In other boxes, subtracts the period from the rounded difference, and rounds again.
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

/**
 * Returns the bucket of a cell. In a box, it is the cell's index, with x changing fastest. In an unbounded world, it is
 * an entry of the hashed table.
 */
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

/**
 * Returns the bucket of a cell in the hashed table. HASH_BLOCK cells along x form a block and stay together; the hash
 * chooses the block of the table.
 */
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

/** Returns the bucket of quarantined particles, the first after those of cells. */
export function quarantineCell(world: World): number {
  return world.cellCount;
}

/** Returns the bucket of particles that are being removed, the second after those of cells. */
export function retiredCell(world: World): number {
  return world.cellCount + 1;
}

/** Returns the length of `start`: one entry per bucket of cells, one for each of the two extra buckets, and the end. */
export function startLength(world: World): number {
  const buckets = finerBuckets(world);
  // The buckets of finer entries also have one entry each, and an end: see core/world/levels.ts.
  return world.cellCount + 3 + (buckets > 0 ? buckets + 1 : 0);
}

/**
 * Returns the word at which the obstacles begin in the buffer of `start`. It is a multiple of four, because a scan may
 * write up to the next multiple of four.
 */
export function firstObstacle(world: World): number {
  return 4 * Math.ceil(startLength(world) / 4);
}

/**
 * Returns a number of levels: the finer entries of a cell are the particles that are at least this many levels below
 * it. In a box the number is 2: a probe searches the cells one level below directly, because they lie in rows. In an
 * unbounded world it is 1: cells are hashed, so a direct search would look up each row in the table.
 */
export function finerSteps({ kind }: Pick<World, 'kind'>): number {
  return kind === 'unbounded' ? 1 : 2;
}

export function hasFiner({ kind, levels }: Pick<World, 'kind' | 'levels'>): boolean {
  return levels > finerSteps({ kind });
}

/**
 * Returns the number of buckets that may have finer entries. In a box, these are the buckets of high levels; in an
 * unbounded world, all buckets. With too few levels, there are none.
 */
export function finerBuckets(world: Pick<World, 'kind' | 'levels' | 'cellCount' | 'levelStarts'>): number {
  return hasFiner(world) ? world.cellCount - (world.levelStarts[finerSteps(world)] ?? 0) : 0;
}

/**
 * Returns the bytes that a GPU stores per slot for the slot's cell. In a box without levels, it stores the cell's
 * index, otherwise the cell's coordinates.
 */
export function cellBytes(
  world: Pick<World, 'kind' | 'dimensions'> & Partial<Pick<World, 'levels'>>,
): number {
  if (world.kind !== 'unbounded' && !world.levels) return 4;
  return world.dimensions === 2 ? 8 : 16;
}
