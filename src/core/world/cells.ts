/**
 * Purpose: the cell of a position and the bucket it is counted into, to the bit as shaders/shared/world_*.wgsl
 * compute them; wrapping and distances in periodic worlds.
 * A difference and a product are correctly rounded in WGSL and by Math.fround here; a quotient is not, and is not
 * used. Magnitudes below 2⁻¹²⁶ are snapped to zero on both sides, since a GPU may flush them.
 */
import { HASH_BLOCK, HASH_BLOCK_SHIFT } from '../base/constants';
import { FARTHEST_CELL, type World } from './world';

const { fround } = Math;

const SMALLEST_NORMAL = 2 ** -126;

export function snap(value: number): number {
  return Math.abs(value) < SMALLEST_NORMAL ? 0 : value;
}

/** Coordinate of the cell along an axis with a ring, clamped into the world: 1 to cells − 2. */
export function cellCoordinate(
  position: number,
  origin: number,
  inverseCellSize: number,
  cells: number,
): number {
  const cell = Math.floor(snap(fround(snap(fround(position - origin)) * inverseCellSize))) + 1;
  return cell < 1 ? 1 : cell > cells - 2 ? cells - 2 : cell;
}

/** Coordinate of the cell of a position along one axis of any world. */
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
 * A coordinate up to a period outside, brought into the box where the axis wraps around: from `min` on, below
 * `min` + period. What is in the box stays as it is, so bringing in twice is bringing in once.
 */
export function wrapOnce(world: Pick<World, 'min' | 'period'>, position: number, axis: number): number {
  const period = world.period[axis] as number;
  const low = world.min[axis] as number;
  if (period === 0) return position;
  const far = fround(low + period);
  if (snap(fround(position - low)) < 0) {
    const raised = fround(position + period);
    // Just below the low end is just below the far end, which rounding may make the far end: the low one. And what is
    // a period below it may come out just below it.
    return raised >= far || (raised < low && position >= fround(low - period)) ? low : raised;
  }
  return position >= far ? Math.max(low, fround(position - period)) : position;
}

/**
 * The same for a coordinate any number of periods outside: beyond one it is rounded, and so far out that its place in
 * a period is noise it goes to the low end.
 */
export function wrapCoordinate(world: Pick<World, 'min' | 'period'>, position: number, axis: number): number {
  const period = world.period[axis] as number;
  const low = world.min[axis] as number;
  const far = fround(low + period);
  const isBeyond = position < fround(low - period) || position >= fround(far + period);
  if (period === 0 || !isBeyond) return wrapOnce(world, position, axis);
  const periods = Math.floor(fround(fround(position - low) * fround(1 / period)));
  const moved = wrapOnce(world, fround(position - fround(period * periods)), axis);
  return moved >= low && moved < far ? moved : low;
}

/** Packed positions, those of finite particles brought into a world that wraps around; a copy where any is moved. */
export function wrapPositions(world: World, positions: Float32Array): Float32Array {
  const { dimensions } = world;
  if (world.kind !== 'periodic') return positions;
  let carried = positions;
  for (let first = 0; first < positions.length; first += dimensions) {
    const place = positions.subarray(first, first + dimensions);
    if (!place.every(Number.isFinite)) continue;
    for (let axis = 0; axis < dimensions; axis++) {
      const given = place[axis] as number;
      const moved = wrapCoordinate(world, given, axis);
      if (moved === given) continue;
      if (carried === positions) carried = positions.slice();
      carried[first + axis] = moved;
    }
  }
  return carried;
}

/**
 * The difference of two coordinates, in a periodic world of the nearest images: rounded, antisymmetric. Where the box
 * begins at 0, the period is taken off the higher coordinate first, which rounds nothing: only the difference itself
 * is rounded then, as anywhere in the box. Elsewhere it is taken off the difference.
 */
export function minimumImage(world: World, place: number, other: number, axis: number): number {
  const apart = fround(place - other);
  const period = world.period[axis] as number;
  if (period === 0) return apart;
  const periods = roundToEven(fround(apart * fround(1 / period)));
  if (world.min[axis] === 0 && periods === 1) return fround(fround(place - period) - other);
  if (world.min[axis] === 0 && periods === -1) return fround(place - fround(other - period));
  return fround(apart - fround(period * periods));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const over = value - floor;
  if (over !== 0.5) return over < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The cell of a particle; `positions` holds `dimensions` numbers a particle. */
export function latticeOfParticle(world: World, positions: ArrayLike<number>, particle: number): number[] {
  const first = particle * world.dimensions;
  return world.cells.map((_, axis) => latticeCoordinate(world, positions[first + axis] as number, axis));
}

/** Bucket of a cell: its index, x fastest, or its place in the table of an unbounded world. */
export function bucketOfLattice(world: World, lattice: readonly number[]): number {
  if (world.kind === 'unbounded') return hashedBucket(world, lattice);
  let index = 0;
  for (let axis = world.dimensions - 1; axis >= 0; axis--) {
    index = index * (world.cells[axis] as number) + (lattice[axis] as number);
  }
  return index;
}

/** The bucket of a finite particle's cell. */
export function cellOfParticle(world: World, positions: ArrayLike<number>, particle: number): number {
  return bucketOfLattice(world, latticeOfParticle(world, positions, particle));
}

const PRIMES = [0x8da6b343, 0xd8163841, 0xcb1ab31f] as const;

/** Blocks of HASH_BLOCK cells along x stay together; which block of the table is theirs is a hash. */
function hashedBucket(world: World, lattice: readonly number[]): number {
  const [x = 0, ...across] = lattice;
  const block = Math.imul(mixBlock([x >> HASH_BLOCK_SHIFT, ...across]), HASH_BLOCK) & (world.cellCount - 1);
  return block + (x & (HASH_BLOCK - 1));
}

/** The hash of a block of cells. */
export function mixBlock(block: readonly number[], seed = 0): number {
  let hash = seed;
  for (let axis = 0; axis < block.length; axis++) {
    hash ^= Math.imul(block[axis] as number, PRIMES[axis] as number);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** The bucket past the last, for particles that are no longer finite. */
export function quarantineCell(world: World): number {
  return world.cellCount;
}

/** The bucket after it, for particles on their way out. */
export function retiredCell(world: World): number {
  return world.cellCount + 1;
}

/** Entries of `start`: one a bucket, the sentinel, and the ends of the two extra buckets. */
export function startLength(world: World): number {
  const buckets = finerBuckets(world);
  // The finer entries of each have one too, and an end of their own: see core/world/levels.ts.
  return world.cellCount + 3 + (buckets > 0 ? buckets + 1 : 0);
}

/** Word behind the starts at which obstacles begin, in the same buffer: after all that a scan may write, in vectors of four. */
export function firstObstacle(world: World): number {
  return 4 * Math.ceil(startLength(world) / 4);
}

/**
 * How many levels a finer entry is below its hosts, at least. In a box, periodic or not, cells lie in rows, so who is on the level
 * just below is looked for there; where cells are hashed, each of these rows would have to be looked up.
 */
export function finerSteps({ kind }: Pick<World, 'kind'>): number {
  return kind === 'unbounded' ? 1 : 2;
}

/** Whether there are levels enough for finer entries. */
export function hasFiner({ kind, levels }: Pick<World, 'kind' | 'levels'>): boolean {
  return levels > finerSteps({ kind });
}

/** Buckets whose cells may have finer entries: in a box those of high levels, else all; none where there are too few levels. */
export function finerBuckets(world: Pick<World, 'kind' | 'levels' | 'cellCount' | 'levelStarts'>): number {
  return hasFiner(world) ? world.cellCount - (world.levelStarts[finerSteps(world)] ?? 0) : 0;
}

/** Bytes that a GPU keeps of the cell of each slot: its index, or where buckets are shared, all of it. */
export function cellBytes(
  world: Pick<World, 'kind' | 'dimensions'> & Partial<Pick<World, 'levels'>>,
): number {
  if (world.kind !== 'unbounded' && !world.levels) return 4;
  return world.dimensions === 2 ? 8 : 16;
}
