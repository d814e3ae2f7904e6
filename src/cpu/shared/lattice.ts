/**
 * Numbers the cells of a world for the loops of the CPU engine. A key is the number of a cell, counted along x first,
 * or in an unbounded world the number of a bucket.
 *
 * If all particles have one radius, a ring of empty cells surrounds bounded and periodic worlds, so the loops of
 * bounded worlds need no special case at the border. This file adds the ring along axes that wrap; `World.cells`
 * includes it along the others. In an unbounded world, row and column are the upper and the lower bits of a bucket's
 * number.
 */
import { LimitError } from '../../core/base/errors';
import { type Dimensions, MAX_CELLS, type World } from '../../core/world/world';

/** Key of slots after the active ones. It exceeds the keys of all cells, so it ends loops over keys. */
export const NO_CELL = 0x7fff_ffff;

export interface Lattice {
  readonly world: World;
  readonly dimensions: Dimensions;
  readonly originX: number;
  readonly originY: number;
  readonly originZ: number;
  readonly inverseCellSize: number;
  /** Cells along x, y, z, ring included. In unbounded worlds and with levels: columns and rows of the table, and 1. */
  readonly columns: number;
  readonly cellsY: number;
  readonly cellsZ: number;
  readonly rows: number;
  /** Differences of keys from a cell to its neighbours at y + 1 (`rowStride`) and at z + 1 (`layerStride`). */
  readonly rowStride: number;
  readonly layerStride: number;
  readonly wrapsX: boolean;
  readonly wrapsY: boolean;
  readonly wrapsZ: boolean;
  /** The period along each axis; infinite if the axis does not wrap. */
  readonly periods: readonly number[];
  readonly longestPeriod: number;
}

export function defineLattice(world: World): Lattice {
  const { dimensions, inverseCellSize, period } = world;
  const [columns, cellsY, cellsZ = 1] = keysAlong(world) as [number, number, number?];
  const [originX, originY, originZ = 0] = world.min as [number, number, number?];
  const wraps = (axis: number) => (period[axis] ?? 0) > 0;
  return {
    world,
    dimensions,
    originX,
    originY,
    originZ,
    inverseCellSize,
    columns,
    cellsY,
    cellsZ,
    rows: cellsY * cellsZ,
    rowStride: columns,
    layerStride: columns * cellsY,
    wrapsX: wraps(0),
    wrapsY: wraps(1),
    wrapsZ: wraps(2),
    periods: period.map((length) => length || Number.POSITIVE_INFINITY),
    longestPeriod: Math.max(...period),
  };
}

function keysAlong({ kind, cells, cellCount, period, dimensions, levels }: World): number[] {
  if (kind === 'unbounded' || levels > 0) {
    const columns = 2 ** Math.ceil(Math.log2(cellCount) / 2);
    return [columns, cellCount / columns, 1].slice(0, dimensions);
  }
  const padded = cells.map((count, axis) => (period[axis] === 0 ? count : count + 2));
  if (padded.reduce((product, count) => product * count, 1) > MAX_CELLS) {
    throw new LimitError(
      'cells',
      `${cells.join(' × ')} cells, and one more at each end of axes that wrap around, are more than ${MAX_CELLS}, the most that the CPU engine can number: choose a larger cellSize or a smaller box.`,
    );
  }
  return padded;
}

/** Returns undefined in an unbounded world, where memory grows with the particles alone. */
export function reservedCells({ kind, cells }: World): readonly number[] | undefined {
  return kind === 'unbounded' ? undefined : cells;
}

/**
 * Returns the result of `make`. If memory does not suffice, throws an error that says what to choose instead. `cells`
 * holds the numbers of cells along the axes, if memory grows with them.
 */
export function reserve<Owner>(capacity: number, make: () => Owner, cells?: readonly number[]): Owner {
  return allocate(make, () => {
    const [where, remedy] = cells
      ? [` in ${cells.join(' × ')} cells`, 'a smaller capacity or a larger cellSize']
      : ['', 'a smaller capacity'];
    return `${capacity} particles${where} take more memory than this JavaScript engine can allocate: choose ${remedy}`;
  });
}

/**
 * Returns the result of `make`. If memory does not suffice, throws an error that names `found()`, the number of pairs
 * so far, and ends with `advice`.
 */
export function makeRoom<List>(
  make: () => List,
  found: () => number,
  advice = 'use forEachPair or countPairs of a grid, which need no list',
): List {
  return allocate(
    make,
    () =>
      `${found()} pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: ${advice}`,
  );
}

export function lengthenPairs(
  words: Uint32Array,
  used: number,
  length: number,
  advice?: string,
): Uint32Array<ArrayBuffer> {
  return makeRoom(
    () => {
      const longer = new Uint32Array(length);
      longer.set(words.subarray(0, used));
      return longer;
    },
    () => used / 2,
    advice,
  );
}

/** Returns the result of `make`. If an allocation in it fails, throws a LimitError with the message of `sentence`. */
export function allocate<Owner>(make: () => Owner, sentence: () => string): Owner {
  try {
    return make();
  } catch (error) {
    // A typed array throws a RangeError if its length cannot be allocated.
    if (!(error instanceof RangeError)) throw error;
    throw new LimitError('memory', `${sentence()}.`);
  }
}

/** Returns the first index from `from` on whose key is not below `key`, or `activeCount`. Keys must ascend. */
export function lowerBound(keys: Int32Array, activeCount: number, key: number, from = 0): number {
  let low = from;
  let high = activeCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** plane-window.ts and space-window.ts check once per this many slots whether particles are too sparse for a window. */
export const STRETCH = 2 ** 10;

/** Returns what to add to the first label and subtract from the second so that they ascend. Uses no branch. */
export function labelsDescent(label: number, otherLabel: number): number {
  const step = (otherLabel - label) | 0;
  return step & (step >> 31);
}

/** Replaces slots by their labels, the lower label of each pair first. */
export function labelSlots(words: Uint32Array, begin: number, end: number, labels: Uint32Array): void {
  for (let word = begin; word < end; word += 2) {
    const label = labels[words[word] as number] as number;
    const otherLabel = labels[words[word + 1] as number] as number;
    const descent = labelsDescent(label, otherLabel);
    words[word] = label + descent;
    words[word + 1] = otherLabel - descent;
  }
}
