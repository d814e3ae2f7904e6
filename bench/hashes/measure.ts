/** Counts how often cells of a scene share a bucket of a hash table, and times the hash functions. */
import { HASH_NUMBERS, type HashName, hashCell } from '../engines/cpu/hash-functions';
import type { BenchScene } from '../harness/scenes';
import { describeSamples } from '../harness/statistics';

/** Returns the cell of each body: three coordinates; in 2D, z is 0. Cells are as wide as the largest body. */
export function cellsOf({ dimensions, count, radius, frame }: BenchScene): Int32Array {
  const positions = frame(0);
  const cells = new Int32Array(3 * count);
  for (let body = 0; body < count; body++) {
    for (let axis = 0; axis < dimensions; axis++) {
      cells[3 * body + axis] = Math.floor((positions[body * dimensions + axis] as number) / (2 * radius));
    }
  }
  return cells;
}

export interface Collisions {
  /** Number of cells with bodies. */
  readonly cells: number;
  /** The fraction of these cells whose bucket also holds another cell. */
  readonly sharing: number;
  /** The expected fraction if each cell had a random bucket. */
  readonly expected: number;
  /** The most cells in one bucket. */
  readonly fullest: number;
}

export function countCollisions(
  cells: Int32Array,
  is3D: boolean,
  hash: HashName,
  buckets: number,
): Collisions {
  const seen = new Set<string>();
  const cellsPerBucket = new Uint32Array(buckets);
  for (let at = 0; at < cells.length; at += 3) {
    const [x, y, z] = cells.subarray(at, at + 3) as unknown as [number, number, number];
    const name = `${x},${y},${z}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const bucket = hashCell(HASH_NUMBERS[hash], is3D, x, y, z) % buckets;
    cellsPerBucket[bucket] = (cellsPerBucket[bucket] as number) + 1;
  }
  let sharing = 0;
  let fullest = 0;
  for (const here of cellsPerBucket) {
    if (here > 1) sharing += here;
    if (here > fullest) fullest = here;
  }
  return {
    cells: seen.size,
    sharing: seen.size === 0 ? 0 : sharing / seen.size,
    expected: 1 - (1 - 1 / buckets) ** Math.max(0, seen.size - 1),
    fullest,
  };
}

const ROUNDS = 7;

/**
 * Returns the nanoseconds that it takes to find the bucket of a cell: the mean over all cells, in the fastest of
 * several rounds. `onSum` keeps the compiler from removing the work.
 */
export function timeHash(
  cells: Int32Array,
  is3D: boolean,
  hash: HashName,
  buckets: number,
  onSum: (sum: number) => void,
): number {
  const number = HASH_NUMBERS[hash];
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    onSum(sumOf(cells, is3D, number, buckets));
    return performance.now() - began;
  });
  return (3e6 * describeSamples(times).least) / cells.length;
}

function sumOf(cells: Int32Array, is3D: boolean, hash: number, buckets: number): number {
  let sum = 0;
  for (let at = 0; at < cells.length; at += 3) {
    const [x, y, z] = [cells[at] as number, cells[at + 1] as number, cells[at + 2] as number];
    sum += hashCell(hash, is3D, x, y, z) % buckets;
  }
  return sum;
}

export interface HashRow extends Collisions {
  readonly scene: string;
  readonly dimensions: number;
  readonly buckets: number;
  readonly hash: HashName;
  readonly nanoseconds: number;
}

/** Shares that differ by less than this factor count as equal. */
const SIMILAR = 1.1;

/** Says in how many tables each hash is better or worse than random buckets, and its mean time. */
export function describeHashes(rows: readonly HashRow[]): string[] {
  return [...new Set(rows.map(({ hash }) => hash))].map((hash) => {
    const own = rows.filter((row) => row.hash === hash);
    const fewer = own.filter(({ sharing, expected }) => sharing * SIMILAR < expected);
    const more = own.filter(({ sharing, expected }) => sharing > expected * SIMILAR);
    const mean = own.reduce((sum, { nanoseconds }) => sum + nanoseconds, 0) / own.length;
    const worst = own.reduce((most, row) => (row.fullest > most.fullest ? row : most));
    return `${hash}: fewer cells share a bucket than at random in ${fewer.length} of ${own.length} tables, more in ${more.length}. At most ${worst.fullest} cells share a bucket (${worst.scene} ${worst.dimensions}D). A hash takes ${mean.toFixed(1)} ns on average.`;
  });
}
