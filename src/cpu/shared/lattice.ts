/**
 * Purpose: the cells of a world as the CPU engine's loops want them. A key is a number that orders cells, or the
 * buckets of an unbounded world, with rows of consecutive ones.
 *
 * In a box, a key is the cell number of core/world/cells.ts with one more cell at each end of axes that wrap around. The
 * empty ring around the box, there as elsewhere, puts every neighbour at a fixed distance, so that the loops know
 * nothing about borders; wrapped.ts sees to those where the world goes on behind them.
 * In an unbounded world, rows are no more than the halves of a bucket number that a sort in two passes wants.
 */
import { LimitError } from '../../core/base/errors';
import { type Dimensions, MAX_CELLS, type World } from '../../core/world/world';

/** Key of slots that hold no particle of the grid: greater than any cell's, so it ends every loop. */
export const NO_CELL = 0x7fff_ffff;

export interface Lattice {
  readonly world: World;
  readonly dimensions: Dimensions;
  readonly originX: number;
  readonly originY: number;
  readonly originZ: number;
  readonly inverseCellSize: number;
  /** Cells along each axis, ring included; 1 along z in the plane. Of unbounded worlds and of levels: those of the table. */
  readonly columns: number;
  readonly cellsY: number;
  readonly cellsZ: number;
  /** Rows of cells: a key is row · rowStride + column. */
  readonly rows: number;
  /** From a cell to the one above it (y + 1). */
  readonly rowStride: number;
  /** From a cell to the one behind it (z + 1). */
  readonly layerStride: number;
  /** Axes that wrap around. */
  readonly wrapsX: boolean;
  readonly wrapsY: boolean;
  readonly wrapsZ: boolean;
  /** Length of the world along each axis that wraps around, infinite along others. */
  readonly periods: readonly number[];
  /** Of those that wrap around; 0 without any. */
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

/** Makes what reserves memory for `capacity` particles, or says that it is too much. */
export function reserve<Owner>(
  world: Pick<World, 'kind' | 'cells'>,
  capacity: number,
  make: () => Owner,
): Owner {
  return allocate(make, () => {
    const [where, remedy] =
      world.kind === 'unbounded'
        ? ['', 'a smaller capacity']
        : [` in ${world.cells.join(' × ')} cells`, 'a smaller capacity or a larger cellSize'];
    return `${capacity} particles${where} take more memory than this JavaScript engine can allocate: choose ${remedy}`;
  });
}

/** Makes room for more pairs than `found`, or says how many these are and what takes no memory for them. */
export function makeRoom<List>(
  make: () => List,
  found: () => number,
  instead = 'forEachPair and countPairs of a grid take none for them',
): List {
  return allocate(
    make,
    () =>
      `${found()} pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: ${instead}`,
  );
}

/** A list of pairs with room for `length` words, of which the first `used` are those of the list given. See makeRoom. */
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

/** Makes what takes memory, or says in a sentence that there is too little. */
export function allocate<Owner>(make: () => Owner, sentence: () => string): Owner {
  try {
    return make();
  } catch (error) {
    // What a typed array throws whose length the engine cannot allocate.
    if (!(error instanceof RangeError)) throw error;
    throw new LimitError('memory', `${sentence()}.`);
  }
}

/** Whether two cells of a box are the same or touch, corners included. Neither is in the ring. */
export function areAdjacent(lattice: Lattice, key: number, otherKey: number): boolean {
  const { rowStride, cellsY } = lattice;
  const row = Math.floor(key / rowStride);
  const otherRow = Math.floor(otherKey / rowStride);
  const layer = Math.floor(row / cellsY);
  const otherLayer = Math.floor(otherRow / cellsY);
  const columns = otherKey - key - rowStride * (otherRow - row);
  const rows = otherRow - row - cellsY * (otherLayer - layer);
  return (
    isStep(columns, lattice.columns, lattice.wrapsX) &&
    isStep(rows, cellsY, lattice.wrapsY) &&
    isStep(otherLayer - layer, lattice.cellsZ, lattice.wrapsZ)
  );
}

/** Whether so many cells on, ring included in their number, is the same or the next. */
function isStep(apart: number, cells: number, wraps: boolean): boolean {
  const distance = Math.abs(apart);
  return distance <= 1 || (wraps && distance === cells - 3);
}

/** First of `live` ascending keys, from `from` on, that is not below `key`. */
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

/** Slots for which it is decided at once how pairs are looked for. */
export const STRETCH = 2 ** 10;

/** Without a branch: 0 where the names ascend, else what to add to the first and take from the second. */
export function namesDescent(name: number, otherName: number): number {
  const step = (otherName - name) | 0;
  return step & (step >> 31);
}

/** Slots from word `begin` up to `end`, two by two, become names, the lower first. */
export function nameSlots(words: Uint32Array, begin: number, end: number, names: Uint32Array): void {
  for (let word = begin; word < end; word += 2) {
    const name = names[words[word] as number] as number;
    const otherName = names[words[word + 1] as number] as number;
    const descent = namesDescent(name, otherName);
    words[word] = name + descent;
    words[word + 1] = otherName - descent;
  }
}
