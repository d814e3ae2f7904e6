/**
 * The cells of a world in the form that the CPU engine's loops need. A key is a number that orders cells, or the
 * buckets of an unbounded world, with rows of consecutive keys.
 *
 * In a bounded or periodic world, a key is the cell number of core/world/cells.ts with one more cell at each end of
 * axes that wrap. So a ring of empty cells surrounds the world, every neighbour has a fixed distance in keys, and the
 * loops need no borders. ../equal/wrapped.ts handles the cells at the ends of axes that wrap.
 * In an unbounded world, row and column are the upper and the lower half of a bucket number, for a sort in two passes.
 */
import { LimitError } from '../../core/base/errors';
import { type Dimensions, MAX_CELLS, type World } from '../../core/world/world';

/** Key of slots that hold no particle of the grid. Greater than the key of any cell, so it ends every loop. */
export const NO_CELL = 0x7fff_ffff;

export interface Lattice {
  readonly world: World;
  readonly dimensions: Dimensions;
  readonly originX: number;
  readonly originY: number;
  readonly originZ: number;
  readonly inverseCellSize: number;
  /**
   * Cells along each axis, ring included; 1 along z in 2D. In unbounded worlds and with levels, the sides of the table.
   */
  readonly columns: number;
  readonly cellsY: number;
  readonly cellsZ: number;
  /** Rows of cells: a key is row · rowStride + column. */
  readonly rows: number;
  /** From a cell to the one above it (y + 1). */
  readonly rowStride: number;
  /** From a cell to the one behind it (z + 1). */
  readonly layerStride: number;
  /** True for each axis that wraps. */
  readonly wrapsX: boolean;
  readonly wrapsY: boolean;
  readonly wrapsZ: boolean;
  /** Length of the world along each axis that wraps, infinite along others. */
  readonly periods: readonly number[];
  /** The longest finite period; 0 if no axis wraps. */
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

/** Returns the cells of a world that memory grows with. In an unbounded world it grows with the particles alone. */
export function reservedCells({ kind, cells }: World): readonly number[] | undefined {
  return kind === 'unbounded' ? undefined : cells;
}

/**
 * Calls `make`, which reserves memory for `capacity` particles, and explains an allocation that fails. `cells`: their
 * number along each axis, if memory grows with them.
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
 * Calls `make`, which makes room for more pairs than `found`. If that fails, throws an error with the number found and
 * the advice in `instead`.
 */
export function makeRoom<List>(
  make: () => List,
  found: () => number,
  instead = 'use forEachPair or countPairs of a grid, which need no list',
): List {
  return allocate(
    make,
    () =>
      `${found()} pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: ${instead}`,
  );
}

/** Copies the first `used` words of a list of pairs into a new one of `length` words. See makeRoom. */
export function lengthenPairs(
  words: Uint32Array,
  used: number,
  length: number,
  instead?: string,
): Uint32Array<ArrayBuffer> {
  return makeRoom(
    () => {
      const longer = new Uint32Array(length);
      longer.set(words.subarray(0, used));
      return longer;
    },
    () => used / 2,
    instead,
  );
}

/** Calls `make` and turns a failed allocation into a LimitError with this sentence. */
export function allocate<Owner>(make: () => Owner, sentence: () => string): Owner {
  try {
    return make();
  } catch (error) {
    // A typed array throws a RangeError if the engine cannot allocate its length.
    if (!(error instanceof RangeError)) throw error;
    throw new LimitError('memory', `${sentence()}.`);
  }
}

/** Index of the first of `live` ascending keys, from `from` on, that is not below `key`. */
export function lowerBound(keys: Int32Array, live: number, key: number, from = 0): number {
  let low = from;
  let high = live;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of slots for which a search method is chosen together. */
export const STRETCH = 2 ** 10;

/**
 * Returns, without a branch, 0 if the labels ascend, otherwise the number to add to the first and subtract from the
 * second to swap them.
 */
export function labelsDescent(label: number, otherLabel: number): number {
  const step = (otherLabel - label) | 0;
  return step & (step >> 31);
}

/** Replaces the slots in words `begin` to `end` by their labels, pair by pair, the lower label first. */
export function labelSlots(words: Uint32Array, begin: number, end: number, labels: Uint32Array): void {
  for (let word = begin; word < end; word += 2) {
    const label = labels[words[word] as number] as number;
    const otherLabel = labels[words[word + 1] as number] as number;
    const descent = labelsDescent(label, otherLabel);
    words[word] = label + descent;
    words[word + 1] = otherLabel - descent;
  }
}
