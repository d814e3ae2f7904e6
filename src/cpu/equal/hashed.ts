/**
 * The loops for an unbounded world. A key is the index of a bucket in a hash table. Several cells may share a bucket,
 * so the loops sort the slot ranges of the buckets around a cell and merge those that overlap. The distance test
 * rejects particles of other cells. Ordering: pairs come by their lower slot, then by their higher slot.
 */

import { CROWDED, FARTHEST_CELL, HASH_BLOCK, SMALLEST_NORMAL } from '../../core/base/constants';
import { bucketOfLattice } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import type { PairTask, Placement } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { PLANE } from './plane';
import { SPACE } from './space';

type Bucketed = Pick<PairTask, 'lattice' | 'keys' | 'activeCount' | 'starts' | 'coordinates'>;
type Buckets = Pick<Bucketed, 'lattice' | 'starts' | 'coordinates'>;

/** Computes cells like latticeCoordinate of core/world/cells.ts. */
export class CellScale {
  private readonly inverse: number;
  private readonly farthest: number;
  /** A scaled position between this negative number and 0 counts as 0, as with `snap` of core/world/cells.ts. */
  private readonly noise: number;

  constructor(world: World) {
    this.inverse = world.inverseCellSize;
    // Exact, because the inverse is a power of two.
    this.farthest = FARTHEST_CELL / this.inverse;
    this.noise = -SMALLEST_NORMAL * Math.max(1, this.inverse);
  }

  cell(position: number): number {
    const scaled = Math.min(Math.max(position, -this.farthest), this.farthest) * this.inverse;
    return scaled < 0 && scaled > this.noise ? 0 : Math.floor(scaled) | 0;
  }
}

const cell2D = [0, 0];
const cell3D = [0, 0, 0];

function bucketAt(lattice: Lattice, x: number, y: number, z: number): number {
  const cell = lattice.dimensions === 2 ? cell2D : cell3D;
  cell[0] = x;
  cell[1] = y;
  if (lattice.dimensions === 3) cell[2] = z;
  return bucketOfLattice(lattice.world, cell);
}

export function findCells(
  lattice: Lattice,
  positions: Float32Array,
  count: number,
  placement: Placement,
): number {
  const { dimensions, rows, rowStride } = lattice;
  const { keys, columnCounts, rowCounts } = placement;
  const scale = new CellScale(lattice.world);
  const is3D = dimensions === 3;
  const shift = Math.log2(rowStride);
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const x = positions[dimensions * index] as number;
    const y = positions[dimensions * index + 1] as number;
    const z = is3D ? (positions[dimensions * index + 2] as number) : 0;
    let key = rows * rowStride;
    if (x - x + (y - y) + (z - z) === 0) {
      key = bucketAt(lattice, scale.cell(x), scale.cell(y), scale.cell(z));
    }
    const column = key & (rowStride - 1);
    const row = key >>> shift;
    columnCounts[column] = (columnCounts[column] as number) + 1;
    rowCounts[row] = (rowCounts[row] as number) + 1;
    keys[index] = key;
    // `descents` becomes negative, and stays so, once a key is below the one before.
    descents |= key - previous;
    previous = key;
  }
  return descents;
}

/** Stores the first slot of each bucket and the cell of each slot. `words` are the bits of the sorted positions. */
export function indexBuckets(order: Bucketed, words: Uint32Array): void {
  const { keys, activeCount, lattice, starts, coordinates } = order;
  const positions = new Float32Array(words.buffer, words.byteOffset, words.length);
  const scale = new CellScale(lattice.world);
  let bucket = 0;
  for (let slot = 0; slot < activeCount; slot++) {
    const key = keys[slot] as number;
    while (bucket <= key) starts[bucket++] = slot;
  }
  starts.fill(activeCount, bucket);
  const length = lattice.dimensions * activeCount;
  for (let word = 0; word < length; word++) coordinates[word] = scale.cell(positions[word] as number);
}

/** The slot ranges of the buckets around a cell, ascending: in 3D up to nine rows, each in one or two blocks. */
const begins = new Int32Array(18);
const ends = new Int32Array(18);
let ranges = 0;

/**
 * A block is HASH_BLOCK cells along x with consecutive buckets. A memo lists the first bucket of a block and of each
 * neighbour along y and z, in ascending order, without neighbours that hold only earlier slots. Slots in the first or
 * the last cell of a block use no memo, because they also need a neighbouring block along x. There are several memos,
 * because the slots of two blocks alternate if the blocks share buckets.
 */
const MEMOS = 8;
const MOST_BLOCKS = 9;
const memoCells = new Int32Array(3 * MEMOS);
const memoLengths = new Int32Array(MEMOS);
const memoBlocks = new Int32Array(MOST_BLOCKS * MEMOS);

export function collect(task: PairTask, stop: number, end: number): void {
  const { coordinates, lattice } = task;
  const { dimensions } = lattice;
  const { scan } = dimensions === 2 ? PLANE : SPACE;
  const first = task.next;
  let slot = first;
  forgetBlocks();
  for (; slot < end && task.length <= stop; slot++) {
    if (slot === first || !isSameCell(coordinates, dimensions, slot - 1, slot)) {
      findRanges(task, slot);
    }
    for (let range = 0; range < ranges; range++) {
      const begin = Math.max(begins[range] as number, slot + 1);
      const rangeEnd = ends[range] as number;
      if (begin < rangeEnd) scan(task, slot, begin, rangeEnd);
    }
  }
  task.next = slot;
}

export function collectAll(task: PairTask, stop: number): void {
  const { activeCount, lattice } = task;
  const { scan } = lattice.dimensions === 2 ? PLANE : SPACE;
  for (; task.next < activeCount && task.length <= stop; task.next++) {
    scan(task, task.next, task.next + 1, activeCount);
  }
}

export function countCandidates(order: Bucketed): number {
  const { coordinates, activeCount, lattice } = order;
  const { dimensions } = lattice;
  let candidates = 0;
  forgetBlocks();
  for (let slot = 0; slot < activeCount; slot++) {
    if (slot === 0 || !isSameCell(coordinates, dimensions, slot - 1, slot)) findRanges(order, slot);
    for (let range = 0; range < ranges; range++) {
      for (
        let other = Math.max(begins[range] as number, slot + 1);
        other < (ends[range] as number);
        other++
      ) {
        if (areCellsAdjacent(coordinates, dimensions, slot, other)) candidates++;
      }
    }
  }
  return candidates;
}

export interface BucketCensus {
  readonly occupiedCells: number;
  readonly greatestOccupancy: number;
  readonly bucketCollisions: number;
  readonly crowded: number;
}

export function takeCensus(
  { keys, activeCount }: Pick<Bucketed, 'keys' | 'activeCount'>,
  isSameCell: (slot: number, other: number) => boolean,
  labelOfCell: (slot: number) => string,
): BucketCensus {
  let occupiedCells = 0;
  let greatestOccupancy = 0;
  let bucketCollisions = 0;
  let crowded = 0;
  let first = 0;
  while (first < activeCount) {
    let end = first + 1;
    let isShared = false;
    for (; end < activeCount && keys[end] === keys[first]; end++) {
      if (!isSameCell(first, end)) isShared = true;
    }
    const occupancies = isShared ? occupanciesOf(labelOfCell, first, end) : [end - first];
    occupiedCells += occupancies.length;
    if (isShared) bucketCollisions += end - first;
    for (const occupancy of occupancies) {
      greatestOccupancy = Math.max(greatestOccupancy, occupancy);
      if (occupancy > CROWDED) crowded += occupancy;
    }
    first = end;
  }
  return { occupiedCells, greatestOccupancy, bucketCollisions, crowded };
}

export function takeOrderCensus(order: Bucketed): BucketCensus {
  const { coordinates, lattice } = order;
  const { dimensions } = lattice;
  return takeCensus(
    order,
    (slot, other) => isSameCell(coordinates, dimensions, slot, other),
    (slot) => coordinates.subarray(dimensions * slot, dimensions * (slot + 1)).join(),
  );
}

function occupanciesOf(labelOfCell: (slot: number) => string, first: number, end: number): number[] {
  const occupancies = new Map<string, number>();
  for (let slot = first; slot < end; slot++) {
    const cell = labelOfCell(slot);
    occupancies.set(cell, (occupancies.get(cell) ?? 0) + 1);
  }
  return [...occupancies.values()];
}

export function visitCells(
  order: Bucketed,
  lowest: readonly number[],
  highest: readonly number[],
  visit: (slot: number) => void,
): void {
  const { lattice, coordinates, starts } = order;
  const { dimensions } = lattice;
  const [lowX, lowY, lowZ = 0] = lowest as [number, number, number?];
  const [highX, highY, highZ = 0] = highest as [number, number, number?];
  for (let z = lowZ; z <= highZ; z++) {
    for (let y = lowY; y <= highY; y++) {
      let x = lowX;
      while (x <= highX) {
        const last = Math.min(highX, lastOfBlock(x));
        const bucket = bucketAt(lattice, x, y, z);
        const end = starts[bucket + last - x + 1] as number;
        for (let slot = starts[bucket] as number; slot < end; slot++) {
          const column = coordinates[dimensions * slot] as number;
          if (column < x || column > last || coordinates[dimensions * slot + 1] !== y) continue;
          if (dimensions === 2 || coordinates[dimensions * slot + 2] === z) visit(slot);
        }
        x = last + 1;
      }
    }
  }
}

/** Lists the ranges around a slot's cell. Leaves out ranges that hold only earlier slots. */
function findRanges(buckets: Buckets, slot: number): void {
  const { starts, coordinates, lattice } = buckets;
  const column = (coordinates[lattice.dimensions * slot] as number) & (HASH_BLOCK - 1);
  ranges = 0;
  if (column === 0 || column === HASH_BLOCK - 1) {
    findSplitRanges(buckets, slot);
    return;
  }
  const memo = recallBlocks(buckets, slot);
  const first = MOST_BLOCKS * memo;
  const last = first + (memoLengths[memo] as number);
  for (let index = first; index < last; index++) {
    const bucket = (memoBlocks[index] as number) + column;
    const begin = starts[bucket - 1] as number;
    const end = starts[bucket + 2] as number;
    if (end <= slot || begin === end) continue;
    begins[ranges] = begin;
    ends[ranges] = end;
    ranges++;
  }
}

function recallBlocks({ coordinates, lattice }: Buckets, slot: number): number {
  const { dimensions } = lattice;
  const x = (coordinates[dimensions * slot] as number) & -HASH_BLOCK;
  const y = coordinates[dimensions * slot + 1] as number;
  const z = dimensions === 3 ? (coordinates[dimensions * slot + 2] as number) : 0;
  const memo = (x / HASH_BLOCK + 3 * y + 5 * z) & (MEMOS - 1);
  const cell = 3 * memo;
  const isKnown = memoCells[cell] === x && memoCells[cell + 1] === y && memoCells[cell + 2] === z;
  if (isKnown && (memoLengths[memo] as number) > 0) return memo;
  memoCells[cell] = x;
  memoCells[cell + 1] = y;
  memoCells[cell + 2] = z;
  memoLengths[memo] = 0;
  const reach = dimensions === 3 ? 1 : 0;
  const own = bucketAt(lattice, x, y, z);
  for (let layer = z - reach; layer <= z + reach; layer++) {
    for (let row = y - 1; row <= y + 1; row++) {
      const block = bucketAt(lattice, x, row, layer);
      if (block >= own) memorise(memo, block);
    }
  }
  return memo;
}

function memorise(memo: number, block: number): void {
  const first = MOST_BLOCKS * memo;
  let index = first + (memoLengths[memo] as number);
  while (index > first && (memoBlocks[index - 1] as number) > block) index--;
  if (index > first && memoBlocks[index - 1] === block) return;
  for (let entry = first + (memoLengths[memo] as number); entry > index; entry--) {
    memoBlocks[entry] = memoBlocks[entry - 1] as number;
  }
  memoBlocks[index] = block;
  memoLengths[memo] = (memoLengths[memo] as number) + 1;
}

/** Empties all memos, because those of one world's table are wrong for another. */
function forgetBlocks(): void {
  memoLengths.fill(0);
}

/** Like findRanges, for a slot in the first or the last cell of a block along x. */
function findSplitRanges({ starts, coordinates, lattice }: Buckets, slot: number): void {
  const { dimensions } = lattice;
  const x = coordinates[dimensions * slot] as number;
  const y = coordinates[dimensions * slot + 1] as number;
  const z = dimensions === 3 ? (coordinates[dimensions * slot + 2] as number) : 0;
  const reach = dimensions === 3 ? 1 : 0;
  const last = lastOfBlock(x - 1);
  const before = last - x + 2;
  for (let layer = z - reach; layer <= z + reach; layer++) {
    for (let row = y - 1; row <= y + 1; row++) {
      addRange(starts, slot, bucketAt(lattice, x - 1, row, layer), before);
      addRange(starts, slot, bucketAt(lattice, last + 1, row, layer), 3 - before);
    }
  }
  mergeRanges();
}

function lastOfBlock(x: number): number {
  return x | (HASH_BLOCK - 1);
}

/** Inserts a range, so that the ranges stay sorted. */
function addRange(starts: Uint32Array, slot: number, bucket: number, buckets: number): void {
  const begin = starts[bucket] as number;
  const end = starts[bucket + buckets] as number;
  if (end <= slot || begin === end) return;
  let index = ranges++;
  for (; index > 0 && (begins[index - 1] as number) > begin; index--) {
    begins[index] = begins[index - 1] as number;
    ends[index] = ends[index - 1] as number;
  }
  begins[index] = begin;
  ends[index] = end;
}

function mergeRanges(): void {
  if (ranges === 0) return;
  let merged = 0;
  for (let range = 1; range < ranges; range++) {
    if ((begins[range] as number) < (ends[merged] as number)) {
      ends[merged] = Math.max(ends[merged] as number, ends[range] as number);
    } else {
      merged++;
      begins[merged] = begins[range] as number;
      ends[merged] = ends[range] as number;
    }
  }
  ranges = merged + 1;
}

function isSameCell(coordinates: Int32Array, dimensions: number, slot: number, other: number): boolean {
  const a = dimensions * slot;
  const b = dimensions * other;
  if (coordinates[a] !== coordinates[b] || coordinates[a + 1] !== coordinates[b + 1]) return false;
  return dimensions === 2 || coordinates[a + 2] === coordinates[b + 2];
}

function areCellsAdjacent(coordinates: Int32Array, dimensions: number, slot: number, other: number): boolean {
  for (let axis = 0; axis < dimensions; axis++) {
    const apart =
      (coordinates[dimensions * slot + axis] as number) - (coordinates[dimensions * other + axis] as number);
    if (Math.abs(apart) > 1) return false;
  }
  return true;
}
