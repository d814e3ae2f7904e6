/**
 * Purpose: overlapping pairs in space where cells are crowded, as `collect` of space.ts finds them: the same pairs in the
 * same order, in less time. Who shares a cell has the same five rows of cells to look through: where each of these begins
 * and ends is found once a cell, and a test needs no key.
 * Inputs and outputs: those of `collect`.
 *
 * Slots of these rows are copied into arrays that are constants of this module, a ring for each row: see plane-window.ts for
 * why.
 */
import type { PairTask } from './kernels';
import { lowerBound, namesDescent, STRETCH, shareNear } from './lattice';
import { dropApart, PERHAPS, SURELY } from './overlap';

/** Rows: its own, the next in the layer, and three in the layer behind. */
const ROWS = 5;

/** Slots of a row that its three cells may hold, a power of two: 120 kB in all. */
const RING = 2 ** 10;
const MASK = RING - 1;

/** Words of pairs found before they are named, and of the one slot that may go beyond. */
const BLOCK_WORDS = 2 ** 13;
const FOUND_WORDS = BLOCK_WORDS + 2 * ROWS * RING;

/** Of a stretch of slots, more than this share must share their cell with the next: at random from 1.6 a cell on. */
const CROWDED_SHARE = 0.5;

const ringX = new Float64Array(ROWS * RING);
const ringY = new Float64Array(ROWS * RING);
const ringZ = new Float64Array(ROWS * RING);
const found = new Int32Array(FOUND_WORDS);

/** Of each row, from a cell to the first of the three, the first slot of these and the one behind them. */
const toRows = new Int32Array(ROWS);
const begins = new Int32Array(ROWS);
const ends = new Int32Array(ROWS);

/** Whether all pairs found since they were last named surely overlap: see SURELY. */
let isSure = true;

/** As `collect`, but stops before slots whose cells are not crowded, or hold more than fits: these go another way. */
export function collectByCells(task: PairTask, stop: number, end: number): void {
  const { keys, live, positions, names, diameter, words, lattice } = task;
  const { rowStride, layerStride } = lattice;
  let slot = task.next;
  let length = task.length;
  if (!isCrowded(keys, live, slot)) return;
  toRows.set([-1, rowStride - 1, layerStride - rowStride - 1, layerStride - 1, layerStride + rowStride - 1]);
  for (let row = 0; row < ROWS; row++) {
    const first =
      row === 0 ? slot : lowerBound(keys, live, (keys[slot] as number) + (toRows[row] as number), slot);
    begins[row] = first;
    ends[row] = first;
  }
  let added = 0;
  let decided = slot + STRETCH;
  isSure = true;
  while (slot < end && length + added <= stop) {
    if (slot >= decided) {
      if (!isCrowded(keys, live, slot)) break;
      decided = slot + STRETCH;
    }
    if (!reach(keys, positions, slot)) break;
    const key = keys[slot] as number;
    do {
      added = collectSlot(slot, added, diameter);
      slot++;
    } while (keys[slot] === key && slot < end && length + added <= stop && added <= BLOCK_WORDS);
    if (added > BLOCK_WORDS) {
      length = nameFound(added, words, length, names, positions, diameter);
      added = 0;
    }
  }
  task.length = nameFound(added, words, length, names, positions, diameter);
  task.next = slot;
}

/** Whether so many of the next slots share a cell with the one behind them that to look for rows cell by cell pays. */
export function isCrowded(keys: Int32Array, live: number, slot: number): boolean {
  return shareNear(keys, live, slot, 0) > CROWDED_SHARE;
}

/** Loads the rows around the cell of a slot; false where one of them does not fit its ring. */
function reach(keys: Int32Array, positions: Float32Array, slot: number): boolean {
  const key = keys[slot] as number;
  begins[0] = slot;
  for (let row = 0; row < ROWS; row++) {
    const first = key + (toRows[row] as number);
    let begin = begins[row] as number;
    while ((keys[begin] as number) < first) begin++;
    begins[row] = begin;
    const from = Math.max(begin, ends[row] as number);
    let end = from;
    while ((keys[end] as number) <= first + 2) end++;
    if (end - begin > RING) return false;
    ends[row] = end;
    load(positions, row, from, end);
  }
  return true;
}

function load(positions: Float32Array, row: number, begin: number, end: number): void {
  const xs = ringX;
  const ys = ringY;
  const zs = ringZ;
  for (let slot = begin; slot < end; slot++) {
    const place = row * RING + (slot & MASK);
    xs[place] = positions[3 * slot] as number;
    ys[place] = positions[3 * slot + 1] as number;
    zs[place] = positions[3 * slot + 2] as number;
  }
}

/** Adds the pairs of a slot to those found, of which there are `begin` words; returns how many there are then. */
function collectSlot(slot: number, begin: number, diameter: number): number {
  const xs = ringX;
  const ys = ringY;
  const zs = ringZ;
  const words = found;
  const limit = diameter * diameter;
  const surely = limit * SURELY;
  const perhaps = limit * PERHAPS;
  const own = slot | 0;
  const x = xs[own & MASK] as number;
  const y = ys[own & MASK] as number;
  const z = zs[own & MASK] as number;
  let length = begin | 0;
  let sure = length;
  begins[0] = own + 1;
  for (let row = 0; row < ROWS; row++) {
    const base = row * RING;
    const last = ends[row] as number;
    for (let other = begins[row] as number; other < last; other++) {
      const place = base + (other & MASK);
      words[length] = own;
      words[length + 1] = other;
      const dx = (xs[place] as number) - x;
      const dy = (ys[place] as number) - y;
      const dz = (zs[place] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
  }
  if (sure < length) isSure = false;
  return length;
}

/** The pairs found, but those apart, by names and the lower first, from word `begin` of `words` on; returns where they end. */
function nameFound(
  words: number,
  target: Uint32Array,
  begin: number,
  names: Uint32Array,
  positions: Float32Array,
  diameter: number,
): number {
  const slots = found;
  const length = isSure ? words : dropApart(slots, 0, words, positions, 3, diameter);
  isSure = true;
  for (let word = 0; word < length; word += 2) {
    const name = names[slots[word] as number] as number;
    const otherName = names[slots[word + 1] as number] as number;
    const descent = namesDescent(name, otherName);
    target[begin + word] = name + descent;
    target[begin + word + 1] = otherName - descent;
  }
  return begin + length;
}
