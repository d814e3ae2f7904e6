/**
 * The classic comparison of a grid with all pairs: how many tests each needs with about one disc per cell. Also
 * compares the memory of dense and of hashed cells in a sparse world.
 */
import { cellBytes } from '../../core/world/cells';
import { defineWorld, type World } from '../../core/world/world';
import { Random } from '../../scenes';

export const CLASSIC_COUNTS = [100, 1000, 10_000] as const;

export interface ClassicRow {
  readonly count: number;
  readonly pairs: number;
  /** Tests of every disc against the others in the 3 × 3 cells around it. */
  readonly tests: number;
}

export interface SparseMemory {
  readonly count: number;
  readonly cells: number;
  /** Bytes with an entry for each cell. */
  readonly dense: number;
  /** Bytes with one to two buckets per disc. */
  readonly hash: number;
}

const SEED = 1;

/** Scatters discs over a square with about as many cells as discs, and counts the tests. */
export function classicRow(count: number): ClassicRow {
  const columns = Math.round(Math.sqrt(count));
  const random = new Random(SEED);
  // A ring of empty cells surrounds the square.
  const stride = columns + 2;
  const sizes = new Uint32Array(stride * stride);
  for (let disc = 0; disc < count; disc++) {
    const cell = (random.below(columns) + 1) * stride + random.below(columns) + 1;
    sizes[cell] = (sizes[cell] as number) + 1;
  }
  let tests = -count;
  for (let cell = stride + 1; cell < sizes.length - stride - 1; cell++) {
    for (const row of [cell - stride, cell, cell + stride]) {
      const around = (sizes[row - 1] as number) + (sizes[row] as number) + (sizes[row + 1] as number);
      tests += (sizes[cell] as number) * around;
    }
  }
  return { count, pairs: (count * (count - 1)) / 2, tests };
}

/** The memory of cells for 10,000 discs in a square of 4,096 × 4,096 cells. */
export function sparseMemory(): SparseMemory {
  const [count, edge] = [10_000, 4096];
  const dense = defineWorld({ dimensions: 2, min: [0, 0], max: [edge, edge], cellSize: 1 }, 1, count);
  const hash = defineWorld({ dimensions: 2, unbounded: true }, 1, count);
  // Each cell or bucket has a first slot and a counter; each disc stores its cell.
  const bytes = (world: World) => 8 * world.cellCount + cellBytes(world) * count;
  return { count, cells: edge ** 2, dense: bytes(dense), hash: bytes(hash) };
}
