/**
 * The pair loop for particles with variable radii in 2D, if the table is dense and the world does not wrap; see
 * search.ts.
 */
import type { SlotPairs } from '../shared/kernels';
import { labelsDescent } from '../shared/lattice';
import { ballsOverlap, ROUNDING_BAND } from '../shared/overlap';
import type { LevelOrder } from './order';

/**
 * If distance² and `(sum of radii)²` differ by at most this share, rounding may decide, and the pair is tested exactly.
 * Twice ROUNDING_BAND, because the sum of radii may be rounded too.
 */
export const BAND = 2 * ROUNDING_BAND;

export interface LevelTask extends SlotPairs {
  activeCount: number;
  labels: Uint32Array;
  words: Uint32Array;
  length: number;
  next: number;
}

export function collect2D(task: LevelTask, order: LevelOrder, stop: number): void {
  const { activeCount, words, labels } = task;
  const { positions, radii, keys, assignedLevels, starts, cells, levelChoice } = order;
  const { firsts, offsets, rowStrides, straightScales } = cells;
  const { used, usedLevels } = levelChoice;
  let { length, next: slot } = task;
  for (; slot < activeCount && length <= stop; slot++) {
    const level = assignedLevels[slot] as number;
    const key = keys[slot] as number;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const radius = radii[slot] as number;
    const label = labels[slot] as number;
    // Tests the rest of the own cell and the next cell, three cells of the row ahead, and three rows of three cells on
    // each higher level in use.
    let rowKey = key;
    let begin = slot + 1;
    let end = starts[key + 2] as number;
    let stride = rowStrides[level] as number;
    let rowsLeft = 1;
    let index = usedLevels;
    for (;;) {
      for (let other = begin; other < end; other++) {
        const dx = (positions[2 * other] as number) - x;
        const dy = (positions[2 * other + 1] as number) - y;
        const sum = radius + (radii[other] as number);
        const limit = sum * sum;
        const excess = dx * dx + dy * dy - limit;
        const band = BAND * limit;
        if (excess > band) continue;
        if (excess >= -band && !overlapAt(order, slot, other)) continue;
        const otherLabel = labels[other] as number;
        const descent = labelsDescent(label, otherLabel);
        words[length] = label + descent;
        words[length + 1] = otherLabel - descent;
        length += 2;
      }
      if (rowsLeft > 0) {
        rowsLeft--;
        rowKey += stride;
      } else {
        index--;
        const higher = used[index] as number;
        if (higher <= level) break;
        const scale = straightScales[higher] as number;
        const column = Math.floor(x * scale) - (firsts[3 * higher] as number);
        const row = Math.floor(y * scale) - (firsts[3 * higher + 1] as number);
        stride = rowStrides[higher] as number;
        rowKey = (offsets[higher] as number) + column + (row - 1) * stride;
        rowsLeft = 2;
      }
      begin = starts[rowKey - 1] as number;
      end = starts[rowKey + 2] as number;
    }
  }
  task.next = slot;
  task.length = length;
}

export function overlapAt(order: LevelOrder, slot: number, other: number): boolean {
  const { positions, radii, lattice } = order;
  return ballsOverlap(positions, slot, other, radii[slot] as number, radii[other] as number, lattice.periods);
}
