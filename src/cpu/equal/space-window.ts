/**
 * Finds overlapping pairs in 3D slot by slot through the cells ahead, like `collect` of space.ts: the same pairs in the
 * same order, in less time if balls are not sparse and a layer fits the window. Inputs and outputs are those of
 * `collect`.
 *
 * Slots are copied into a window whose arrays are constants of this module; see plane-window.ts. A second table
 * holds where each of a layer's cells begins, because advancing in four rows by keys takes four unpredictable branches
 * per slot. Whether a row holds a slot is unpredictable too, so the first slot from its beginning on is always tested;
 * the distance rejects it if it is out of reach.
 * The test is written out five times: in a loop over rows it makes finding pairs a fifth slower (bench/NOTES.md).
 */
import type { PairTask } from '../shared/kernels';
import { labelSlots, STRETCH } from '../shared/lattice';
import { dropApart, PERHAPS, SURELY } from '../shared/overlap';

/**
 * Slots in the window, a power of two: 920 kB. The used part fits the first-level cache up to 1,000 slots per layer.
 */
const WINDOW = 2 ** 15;
const MASK = WINDOW - 1;

/** Cells whose beginnings are known at a time, a power of two, at least those of a layer and a row: 520 kB. */
const CELLS = 2 ** 17;
const CELL_MASK = CELLS - 1;

/** Entries after the last slot that may be tested, one for each row; they hold no particle. */
const PADDING = 5;

/** Number of slots that are loaded, and searched, at a time. */
const BLOCK = 256;

/** Words of the pairs of a block, and of the one slot that may go beyond. */
const BLOCK_WORDS = 2 ** 13;
const FOUND_WORDS = BLOCK_WORDS + 2 * WINDOW;

/** Limit of cells per slot: at 42, the search by keys is as fast or faster. */
const MOST_CELLS = 16;

const windowKeys = new Int32Array(WINDOW);
const windowX = new Float64Array(WINDOW);
const windowY = new Float64Array(WINDOW);
const windowZ = new Float64Array(WINDOW);
/** For each cell, the first slot that is in it or after it. */
const starts = new Int32Array(CELLS);
const found = new Int32Array(FOUND_WORDS);

/**
 * The slot at the end of the last block, the first cell whose beginning is not known yet, and whether all pairs of the
 * block surely overlap.
 */
let reachedSlot = 0;
let firstUnknown = 0;
let isSure = true;

/** Like `collect`, but stops before slots that are sparse or do not fit the window; collectByKeys searches these. */
export function collectInWindow(task: PairTask, stop: number, end: number): void {
  const { keys, live, positions, labels, diameter, lattice, words } = task;
  if (task.next >= end) return;
  const { rowStride, layerStride } = lattice;
  let slot = task.next;
  let length = task.length;
  let loaded = slot;
  let lastKey = -1;
  let decided = slot;
  firstUnknown = keys[slot] as number;
  while (slot < end && length <= stop) {
    const blockEnd = Math.min(end, slot + BLOCK);
    const first = keys[slot] as number;
    // The cell after all cells that the block looks into.
    const behindLast = (keys[blockEnd - 1] as number) + layerStride + rowStride + 2;
    if (behindLast - first >= CELLS) break;
    if (slot >= decided) {
      if (isSparse(keys, live, slot)) break;
      decided = slot + STRETCH;
    }
    // Loads whole blocks: finding where they end takes longer than loading a few slots too many.
    while (loaded < live && lastKey < behindLast) {
      const loadEnd = Math.min(live, loaded + BLOCK);
      const endKey = keys[loadEnd - 1] as number;
      if (loadEnd + PADDING - slot > WINDOW || endKey - first >= CELLS) break;
      load(keys, positions, loaded, loadEnd);
      loaded = loadEnd;
      lastKey = endKey;
    }
    if (loaded === live) fillBehind(live, behindLast);
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

/** True if there are so many cells per slot that finding where they begin takes longer than it saves. */
export function isSparse(keys: Int32Array, live: number, slot: number): boolean {
  const end = Math.min(live, slot + STRETCH);
  return (keys[end - 1] as number) - (keys[slot] as number) >= MOST_CELLS * (end - slot);
}

/** Loads slots into the window, and the beginnings of all cells up to their last one. */
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

/** Sets the beginnings of the cells behind all particles to the end of the slots, so that those cells are empty. */
function fillBehind(live: number, last: number): void {
  for (; firstUnknown <= last; firstUnknown++) starts[firstUnknown & CELL_MASK] = live;
}

/**
 * Finds the pairs of the slots from `slot` up to `end`, until there are more than `stop` words. Returns the number of
 * words.
 */
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
  // Declared as integers; otherwise V8 checks in each turn what kind of number they are.
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
    // If rows are nearly empty, the slot that is always tested may be in the next row. This tests no slot twice.
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
