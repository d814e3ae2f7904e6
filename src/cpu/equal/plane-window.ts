/**
 * Finds the same pairs as `collectByKeys` of plane.ts, in the same order. This search is faster if discs are not sparse
 * and a row fits the window.
 *
 * The window is a copy of the next slots, in arrays that are constants of this module. For other arrays, V8 checks
 * kind, length and start of memory in each iteration, which more than doubles the instructions of a test
 * (bench/NOTES.md). Loops read the arrays through local constants, because V8 relies only on what it knows before a
 * loop. A test costs less than a mispredicted branch, so the next slot and the first two slots of the row ahead are
 * always tested. The test is written out five times, because a function would be slower.
 */
import type { PairTask } from '../shared/kernels';
import { labelsDescent, lowerBound, NO_CELL, STRETCH } from '../shared/lattice';
import { dropApart, PERHAPS, SURELY } from '../shared/overlap';

/** Number of slots in the window, a power of two. Slot s is stored at `s & MASK`. */
const WINDOW = 2 ** 13;
const MASK = WINDOW - 1;

/** Number of empty slots after the last loaded particle. Loops may test them. */
const PADDING = 4;

const BLOCK = 256;

/** The search of a block stops once it exceeds BLOCK_WORDS words. FOUND_WORDS adds room for all pairs of one slot. */
const BLOCK_WORDS = 2 ** 13;
const FOUND_WORDS = BLOCK_WORDS + 2 * WINDOW;

/** Slots are sparse if less than this share of a sample has the next slot at most two cells ahead. */
const LEAST_NEAR = 0.25;
const SAMPLE_STEP = 16;

const windowKeys = new Int32Array(WINDOW);
const windowX = new Float64Array(WINDOW);
const windowY = new Float64Array(WINDOW);
const found = new Int32Array(FOUND_WORDS);

let reachedSlot = 0;
let reachedAhead = 0;
/** True if all pairs of the last block surely overlap; see SURELY. */
let isSure = true;

/** Like `collect` of ../shared/kernels.ts, but stops before slots that are sparse or do not fit the window. */
export function collectInWindow(task: PairTask, stop: number, end: number): void {
  const { keys, activeCount, positions, labels, diameter, lattice, words } = task;
  if (task.next >= end) return;
  const toRowAhead = lattice.rowStride - 1;
  let slot = task.next;
  let length = task.length;
  let loaded = slot;
  let decided = slot;
  reachedAhead = lowerBound(keys, activeCount, (keys[slot] as number) + toRowAhead);
  while (slot < end && length <= stop) {
    const blockEnd = Math.min(end, slot + BLOCK);
    const behindLast = (keys[blockEnd - 1] as number) + toRowAhead + 3;
    const mostLoaded = slot + WINDOW - BLOCK - PADDING;
    if (mostLoaded < activeCount && (keys[mostLoaded] as number) < behindLast) break;
    if (slot >= decided) {
      if (isSparse(keys, activeCount, slot)) break;
      decided = slot + STRETCH;
    }
    // Loading a few too many slots is faster than finding the exact end.
    while (loaded < activeCount && (keys[loaded] as number) < behindLast) {
      const loadEnd = Math.min(activeCount, loaded + BLOCK);
      load(keys, positions, loaded, loadEnd);
      loaded = loadEnd;
    }
    let added = collectBlock(slot, blockEnd, Math.min(stop - length, BLOCK_WORDS), toRowAhead, diameter);
    if (!isSure) added = dropApart(found, 0, added, positions, 2, diameter);
    labelFound(added, words, length, labels);
    length += added;
    slot = reachedSlot;
  }
  task.next = slot;
  task.length = length;
}

/** Returns whether a window would cost more than it saves for the next slots. */
export function isSparse(keys: Int32Array, activeCount: number, slot: number): boolean {
  const end = Math.min(activeCount, slot + STRETCH);
  let near = 0;
  let sampled = 0;
  for (let sample = slot; sample < end; sample += SAMPLE_STEP) {
    // The key after the last slot is NO_CELL.
    near += Number((keys[sample + 1] as number) - (keys[sample] as number) <= 2);
    sampled++;
  }
  return near < LEAST_NEAR * sampled;
}

function load(keys: Int32Array, positions: Float32Array, begin: number, end: number): void {
  const ownKeys = windowKeys;
  const ownX = windowX;
  const ownY = windowY;
  for (let slot = begin; slot < end; slot++) {
    const entry = slot & MASK;
    ownKeys[entry] = keys[slot] as number;
    ownX[entry] = positions[2 * slot] as number;
    ownY[entry] = positions[2 * slot + 1] as number;
  }
  for (let slot = end; slot < end + PADDING; slot++) {
    const entry = slot & MASK;
    ownKeys[entry] = NO_CELL;
    ownX[entry] = Number.POSITIVE_INFINITY;
  }
}

/** Writes pairs of slots to `found`. Returns the number of words, which may exceed `stop`. */
function collectBlock(
  begin: number,
  end: number,
  stop: number,
  toRowAhead: number,
  diameter: number,
): number {
  const keys = windowKeys;
  const xs = windowX;
  const ys = windowY;
  const words = found;
  const limit = diameter * diameter;
  const surely = limit * SURELY;
  const perhaps = limit * PERHAPS;
  // `| 0` declares integers; otherwise V8 checks the kind of number in each iteration.
  const last = end | 0;
  const most = stop | 0;
  const rowStep = toRowAhead | 0;
  let slot = begin | 0;
  let ahead = reachedAhead | 0;
  let length = 0;
  let sure = 0;
  for (; slot < last && length <= most; slot++) {
    const entry = slot & MASK;
    const key = keys[entry] as number;
    const x = xs[entry] as number;
    const y = ys[entry] as number;
    let other = slot + 1;
    words[length] = slot;
    words[length + 1] = other;
    let dx = (xs[other & MASK] as number) - x;
    let dy = (ys[other & MASK] as number) - y;
    let squared = dx * dx + dy * dy;
    length += Number(squared <= perhaps) << 1;
    sure += Number(squared < surely) << 1;
    for (other++; (keys[other & MASK] as number) <= key + 1; other++) {
      words[length] = slot;
      words[length + 1] = other;
      dx = (xs[other & MASK] as number) - x;
      dy = (ys[other & MASK] as number) - y;
      squared = dx * dx + dy * dy;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
    const rowAhead = key + rowStep;
    // Advances by up to two slots without a branch; the average is one.
    const passed = ((keys[ahead & MASK] as number) - rowAhead) >>> 31;
    ahead += passed + (((keys[(ahead + 1) & MASK] as number) - rowAhead) >>> 31);
    while ((keys[ahead & MASK] as number) < rowAhead) ahead++;
    // If rows are nearly empty, `slot + 1` may be in the row ahead. Starting at `other` tests no slot twice.
    if (ahead < other) ahead = other;
    words[length] = slot;
    words[length + 1] = ahead;
    dx = (xs[ahead & MASK] as number) - x;
    dy = (ys[ahead & MASK] as number) - y;
    squared = dx * dx + dy * dy;
    length += Number(squared <= perhaps) << 1;
    sure += Number(squared < surely) << 1;
    other = ahead + 1;
    words[length] = slot;
    words[length + 1] = other;
    dx = (xs[other & MASK] as number) - x;
    dy = (ys[other & MASK] as number) - y;
    squared = dx * dx + dy * dy;
    length += Number(squared <= perhaps) << 1;
    sure += Number(squared < surely) << 1;
    for (other++; (keys[other & MASK] as number) <= rowAhead + 2; other++) {
      words[length] = slot;
      words[length + 1] = other;
      dx = (xs[other & MASK] as number) - x;
      dy = (ys[other & MASK] as number) - y;
      squared = dx * dx + dy * dy;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
  }
  reachedSlot = slot;
  reachedAhead = ahead;
  isSure = sure === length;
  return length;
}

/** Writes the labels of the slots in `found` to `words`. In 2D, a copy followed by labelSlots would take longer. */
function labelFound(length: number, words: Uint32Array, begin: number, labels: Uint32Array): void {
  const slots = found;
  for (let word = 0; word < length; word += 2) {
    const label = labels[slots[word] as number] as number;
    const otherLabel = labels[slots[word + 1] as number] as number;
    const descent = labelsDescent(label, otherLabel);
    words[begin + word] = label + descent;
    words[begin + word + 1] = otherLabel - descent;
  }
}
