/**
 * Finds the same pairs as `collectByKeys` of space.ts, in the same order. This search is faster if balls are not sparse
 * and a layer fits the window; see plane-window.ts. A slot is tested with later slots of its own row and of four rows
 * ahead: the next row of its layer, and three rows of the next layer.
 *
 * A table holds the first slot of each cell. Without the table, the search would advance a pointer into each row ahead,
 * with four unpredictable branches per slot. Each row's loop tests at least one slot, because whether the row has any
 * is unpredictable too. The test is written out five times, because a loop over rows would be slower.
 */
import type { PairTask } from '../shared/kernels';
import { labelSlots, STRETCH } from '../shared/lattice';
import { dropApart, PERHAPS, SURELY } from '../shared/overlap';

/** Number of slots in the window, a power of two. Slot s is stored at `s & MASK`. */
const WINDOW = 2 ** 15;
const MASK = WINDOW - 1;

/**
 * Number of cells in the table, a power of two. The search of a block spans more than a layer and a row. If it spans
 * CELLS or more, collectByKeys takes over.
 */
const CELLS = 2 ** 17;
const CELL_MASK = CELLS - 1;

/** Number of empty slots after the last loaded particle: one for each of the five tests. */
const PADDING = 5;

const BLOCK = 256;

/** The search of a block stops once it exceeds BLOCK_WORDS words. FOUND_WORDS adds room for all pairs of one slot. */
const BLOCK_WORDS = 2 ** 13;
const FOUND_WORDS = BLOCK_WORDS + 2 * WINDOW;

/** If there are at least this many cells per slot, collectByKeys takes over. */
const MOST_CELLS = 16;

const windowKeys = new Int32Array(WINDOW);
const windowX = new Float64Array(WINDOW);
const windowY = new Float64Array(WINDOW);
const windowZ = new Float64Array(WINDOW);
/** Per cell, the first slot in it or after it. */
const starts = new Int32Array(CELLS);
const found = new Int32Array(FOUND_WORDS);

let reachedSlot = 0;
/** The window holds slots below `loaded`. The table holds their cells, up to the cell `lastKey`. */
let loaded = 0;
let lastKey = -1;
let firstUnknown = 0;
/** True if all pairs of the last block surely overlap; see SURELY. */
let isSure = true;

/**
 * Like `collect` of ../shared/kernels.ts, but stops before slots that are sparse or do not fit the window. If
 * `continues`, reuses the slots that the last call loaded.
 */
export function collectInWindow(task: PairTask, stop: number, end: number, continues: boolean): void {
  const { keys, activeCount, positions, labels, diameter, lattice, words } = task;
  if (task.next >= end) return;
  const { rowStride, layerStride } = lattice;
  let slot = task.next;
  let length = task.length;
  let decided = slot;
  if (!continues || slot >= loaded) {
    loaded = slot;
    lastKey = -1;
    firstUnknown = keys[slot] as number;
  }
  while (slot < end && length <= stop) {
    const blockEnd = Math.min(end, slot + BLOCK);
    const first = keys[slot] as number;
    // Higher than the keys of all cells that the block searches.
    const behindLast = (keys[blockEnd - 1] as number) + layerStride + rowStride + 2;
    if (behindLast - first >= CELLS) break;
    if (slot >= decided) {
      if (isSparse(keys, activeCount, slot)) break;
      decided = slot + STRETCH;
    }
    while (loaded < activeCount && lastKey < behindLast) {
      const loadEnd = Math.min(activeCount, loaded + BLOCK);
      const endKey = keys[loadEnd - 1] as number;
      if (loadEnd + PADDING - slot > WINDOW || endKey - first >= CELLS) break;
      load(keys, positions, loaded, loadEnd);
      loaded = loadEnd;
      lastKey = endKey;
    }
    if (loaded === activeCount) fillBehind(activeCount, behindLast);
    else if (lastKey < behindLast) break;
    const most = Math.min(stop - length, BLOCK_WORDS);
    let added = collectBlock(slot, blockEnd, most, rowStride, layerStride, diameter);
    if (!isSure) added = dropApart(found, 0, added, positions, 3, diameter);
    words.set(found.subarray(0, added), length);
    labelSlots(words, length, length + added, labels);
    length += added;
    slot = reachedSlot;
  }
  task.next = slot;
  task.length = length;
}

/** True if there are so many cells per slot that finding the first slot of each cell takes longer than it saves. */
export function isSparse(keys: Int32Array, activeCount: number, slot: number): boolean {
  const end = Math.min(activeCount, slot + STRETCH);
  return (keys[end - 1] as number) - (keys[slot] as number) >= MOST_CELLS * (end - slot);
}

/** Copies slots into the window. Sets the first slot of each cell up to the last slot's cell. */
function load(keys: Int32Array, positions: Float32Array, begin: number, end: number): void {
  const ownKeys = windowKeys;
  const ownX = windowX;
  const ownY = windowY;
  const ownZ = windowZ;
  const cells = starts;
  let cell = firstUnknown;
  for (let slot = begin; slot < end; slot++) {
    const entry = slot & MASK;
    const key = keys[slot] as number;
    ownKeys[entry] = key;
    ownX[entry] = positions[3 * slot] as number;
    ownY[entry] = positions[3 * slot + 1] as number;
    ownZ[entry] = positions[3 * slot + 2] as number;
    for (; cell <= key; cell++) cells[cell & CELL_MASK] = slot;
  }
  firstUnknown = cell;
  for (let slot = end; slot < end + PADDING; slot++) ownX[slot & MASK] = Number.POSITIVE_INFINITY;
}

/** Marks the cells behind the last particle's cell as empty, up to the cell `last`. */
function fillBehind(activeCount: number, last: number): void {
  for (; firstUnknown <= last; firstUnknown++) starts[firstUnknown & CELL_MASK] = activeCount;
}

/** Writes pairs of slots to `found`. Returns the number of words, which may exceed `stop`. */
function collectBlock(
  begin: number,
  end: number,
  stop: number,
  rowStride: number,
  layerStride: number,
  diameter: number,
): number {
  const keys = windowKeys;
  const xs = windowX;
  const ys = windowY;
  const zs = windowZ;
  const cells = starts;
  const words = found;
  const limit = diameter * diameter;
  const surely = limit * SURELY;
  const perhaps = limit * PERHAPS;
  // plane-window.ts explains `| 0`.
  const last = end | 0;
  const most = stop | 0;
  const row = rowStride | 0;
  const layer = layerStride | 0;
  let slot = begin | 0;
  let length = 0;
  let sure = 0;
  for (; slot < last && length <= most; slot++) {
    const entry = slot & MASK;
    const key = keys[entry] as number;
    const x = xs[entry] as number;
    const y = ys[entry] as number;
    const z = zs[entry] as number;
    let other = slot + 1;
    let rangeEnd = cells[(key + 2) & CELL_MASK] as number;
    do {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (xs[other & MASK] as number) - x;
      const dy = (ys[other & MASK] as number) - y;
      const dz = (zs[other & MASK] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    } while (++other < rangeEnd);
    let cell = key + row - 1;
    // If rows are nearly empty, slots of the next row may have been tested already. Math.max skips them.
    other = Math.max(other, cells[cell & CELL_MASK] as number);
    rangeEnd = cells[(cell + 3) & CELL_MASK] as number;
    do {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (xs[other & MASK] as number) - x;
      const dy = (ys[other & MASK] as number) - y;
      const dz = (zs[other & MASK] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    } while (++other < rangeEnd);
    cell = key + layer - row - 1;
    other = Math.max(other, cells[cell & CELL_MASK] as number);
    rangeEnd = cells[(cell + 3) & CELL_MASK] as number;
    do {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (xs[other & MASK] as number) - x;
      const dy = (ys[other & MASK] as number) - y;
      const dz = (zs[other & MASK] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    } while (++other < rangeEnd);
    cell += row;
    other = Math.max(other, cells[cell & CELL_MASK] as number);
    rangeEnd = cells[(cell + 3) & CELL_MASK] as number;
    do {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (xs[other & MASK] as number) - x;
      const dy = (ys[other & MASK] as number) - y;
      const dz = (zs[other & MASK] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    } while (++other < rangeEnd);
    cell += row;
    other = Math.max(other, cells[cell & CELL_MASK] as number);
    rangeEnd = cells[(cell + 3) & CELL_MASK] as number;
    do {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (xs[other & MASK] as number) - x;
      const dy = (ys[other & MASK] as number) - y;
      const dz = (zs[other & MASK] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    } while (++other < rangeEnd);
  }
  reachedSlot = slot;
  isSure = sure === length;
  return length;
}
