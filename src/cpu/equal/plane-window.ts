/**
 * Purpose: overlapping pairs in the plane, slot by slot through the cells ahead, as `collect` of plane.ts finds them: the
 * same pairs in the same order, in less time, where discs are not sparse and a row fits the window.
 * Inputs and outputs: those of `collect`.
 *
 * Slots are copied into a window whose arrays are constants of this module. Where an array may be any, V8 looks at what
 * it is, how long it is and where it begins each time around a loop: half of what a pair costs. Of a constant it knows.
 * They are read through locals, since only what is known ahead of a loop is known in it.
 * With that a test costs less than to gamble on whether there is somebody to test: the next slot and the first two of the
 * row ahead are tested in any case. Whoever is not in reach is too far away, and the distance says so.
 * The test stands here five times: as a function it makes finding pairs a tenth slower (bench/NOTES.md).
 */
import type { PairTask } from '../shared/kernels';
import { lowerBound, NO_CELL, namesDescent, STRETCH } from '../shared/lattice';
import { dropApart, PERHAPS, SURELY } from '../shared/overlap';

/** Slots in the window, a power of two: 160 kB, of which what is in use fits the first cache up to 1,000 slots. */
const WINDOW = 2 ** 13;
const MASK = WINDOW - 1;

/** Places behind the last slot that may be tested: nobody is there. */
const NOBODY = 4;

/** Slots that are loaded at a time, and whose pairs are found at a time. */
const BLOCK = 256;

/** Words of pairs found in a block, and of the one slot that may go beyond. */
const BLOCK_WORDS = 2 ** 13;
const FOUND_WORDS = BLOCK_WORDS + 2 * WINDOW;

/** Of a stretch of slots, as many must have somebody in their cell or the next two. At random up to nine cells a disc do. */
const LEAST_NEAR = 0.25;
/** Every so many of them one is asked who is next. */
const SAMPLE_STEP = 16;

const windowKeys = new Int32Array(WINDOW);
const windowX = new Float64Array(WINDOW);
const windowY = new Float64Array(WINDOW);
const found = new Int32Array(FOUND_WORDS);

/** Where the last block ended: its slot, and for it the first slot of the three cells in the row ahead. */
let reachedSlot = 0;
let reachedAhead = 0;
/** Whether all pairs that it found surely overlap: see SURELY. */
let isSure = true;

/** As `collect`, but stops before slots that are sparse, or for which a window is too small: these go another way. */
export function collectInWindow(task: PairTask, stop: number, end: number): void {
  const { keys, live, positions, names, diameter, lattice, words } = task;
  if (task.next >= end) return;
  const toRowAhead = lattice.rowStride - 1;
  let slot = task.next;
  let length = task.length;
  let loaded = slot;
  let decided = slot;
  reachedAhead = lowerBound(keys, live, (keys[slot] as number) + toRowAhead);
  while (slot < end && length <= stop) {
    const blockEnd = Math.min(end, slot + BLOCK);
    const behindLast = (keys[blockEnd - 1] as number) + toRowAhead + 3;
    const mostLoaded = slot + WINDOW - BLOCK - NOBODY;
    if (mostLoaded < live && (keys[mostLoaded] as number) < behindLast) break;
    if (slot >= decided) {
      if (isSparse(keys, live, slot)) break;
      decided = slot + STRETCH;
    }
    // As many at a time: to search for where they end takes longer than to load a few too many.
    while (loaded < live && (keys[loaded] as number) < behindLast) {
      const loadEnd = Math.min(live, loaded + BLOCK);
      load(keys, positions, loaded, loadEnd);
      loaded = loadEnd;
    }
    let added = collectBlock(slot, blockEnd, Math.min(stop - length, BLOCK_WORDS), toRowAhead, diameter);
    if (!isSure) added = dropApart(found, 0, added, positions, 2, diameter);
    nameFound(added, words, length, names);
    length += added;
    slot = reachedSlot;
  }
  task.next = slot;
  task.length = length;
}

/** Whether few of the next slots have somebody beside them in their row, so that a window costs more than it saves. */
export function isSparse(keys: Int32Array, live: number, slot: number): boolean {
  const end = Math.min(live, slot + STRETCH);
  let near = 0;
  let asked = 0;
  for (let sample = slot; sample < end; sample += SAMPLE_STEP) {
    // Behind the last one is nobody.
    near += Number((keys[sample + 1] as number) - (keys[sample] as number) <= 2);
    asked++;
  }
  return near < LEAST_NEAR * asked;
}

function load(keys: Int32Array, positions: Float32Array, begin: number, end: number): void {
  const ownKeys = windowKeys;
  const ownX = windowX;
  const ownY = windowY;
  for (let slot = begin; slot < end; slot++) {
    const place = slot & MASK;
    ownKeys[place] = keys[slot] as number;
    ownX[place] = positions[2 * slot] as number;
    ownY[place] = positions[2 * slot + 1] as number;
  }
  for (let slot = end; slot < end + NOBODY; slot++) {
    const place = slot & MASK;
    ownKeys[place] = NO_CELL;
    ownX[place] = Number.POSITIVE_INFINITY;
  }
}

/** Pairs of the slots from `slot` up to `end`, until there are more than `stop` words; returns how many words. */
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
  // Told to be whole, else V8 looks in each turn at what sort of number they are.
  const last = end | 0;
  const most = stop | 0;
  const rowStep = toRowAhead | 0;
  let slot = begin | 0;
  let ahead = reachedAhead | 0;
  let length = 0;
  let sure = 0;
  for (; slot < last && length <= most; slot++) {
    const place = slot & MASK;
    const key = keys[place] as number;
    const x = xs[place] as number;
    const y = ys[place] as number;
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
    // Up to two without asking, since it is one on average: whoever is passed comes first.
    const passed = ((keys[ahead & MASK] as number) - rowAhead) >>> 31;
    ahead += passed + (((keys[(ahead + 1) & MASK] as number) - rowAhead) >>> 31);
    while ((keys[ahead & MASK] as number) < rowAhead) ahead++;
    // Where its row and the next are nearly empty, the next slot may be in either: nobody is tested twice.
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

/**
 * The pairs found, by names and the lower first, from word `begin` of `words` on. Copied first, and named by `nameSlots`, they
 * take a sixth longer here, in space no longer.
 */
function nameFound(length: number, words: Uint32Array, begin: number, names: Uint32Array): void {
  const slots = found;
  for (let word = 0; word < length; word += 2) {
    const name = names[slots[word] as number] as number;
    const otherName = names[slots[word + 1] as number] as number;
    const descent = namesDescent(name, otherName);
    words[begin + word] = name + descent;
    words[begin + word + 1] = otherName - descent;
  }
}
