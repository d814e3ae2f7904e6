/**
 * The inner loops of the search in 2D; see ../shared/kernels.ts. Ordering: pairs come by their lower slot, then by
 * their higher slot, so the bits of sums over neighbours depend on the particles alone.
 */
import type { Bins, Kernels, PairTask, Placement } from '../shared/kernels';
import { type Lattice, labelSlots, labelsDescent, lowerBound, STRETCH } from '../shared/lattice';
import { dropApart, overlapsInPlane, PERHAPS, ROUNDING_BAND, SURELY } from '../shared/overlap';
import { collectInWindow } from './plane-window';

function findCells(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): number {
  const { originX, originY, inverseCellSize, rows, rowStride } = lattice;
  const { keys, columnCounts, rowCounts } = placement;
  const lastColumn = lattice.columns - 2;
  const lastRow = lattice.cellsY - 2;
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const x = positions[2 * index] as number;
    const y = positions[2 * index + 1] as number;
    let column = 0;
    let row = rows;
    if (x - x + (y - y) === 0) {
      // The code in core/world/cells.ts also replaces tiny numbers by 0. That would not change the cell here: scaled
      // positions below 1 are in the first cell anyway.
      const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
      const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
      column = scaledX < lastColumn ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : lastColumn;
      row = scaledY < lastRow ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : lastRow;
    }
    columnCounts[column] = (columnCounts[column] as number) + 1;
    rowCounts[row] = (rowCounts[row] as number) + 1;
    const key = row * rowStride + column;
    keys[index] = key;
    // `descents` becomes negative, and stays so, once a key is below the one before.
    descents |= key - previous;
    previous = key;
  }
  return descents;
}

/** `columns` and `rows` count the cells inside the ring. */
function keyAt(
  x: number,
  y: number,
  originX: number,
  originY: number,
  inverseCellSize: number,
  columns: number,
  rows: number,
  rowStride: number,
  quarantineKey: number,
): number {
  const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
  const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
  if (scaledX >= 0 && scaledX < columns && scaledY >= 0 && scaledY < rows) {
    return (scaledY | 0) * rowStride + (scaledX | 0) + rowStride + 1;
  }
  if (x - x + (y - y) !== 0) return quarantineKey;
  return keyAtBorder(scaledX, scaledY, columns, rows, rowStride);
}

/** Returns the key of a finite position outside the cells. This is a separate function, so that V8 can inline keyAt. */
function keyAtBorder(
  scaledX: number,
  scaledY: number,
  columns: number,
  rows: number,
  rowStride: number,
): number {
  const column = scaledX < columns ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : columns;
  const row = scaledY < rows ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : rows;
  return row * rowStride + column;
}

function findCellsInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): number {
  const { originX, originY, inverseCellSize, rowStride } = lattice;
  const { inputKeys, counts, shift } = bins;
  const columns = lattice.columns - 2;
  const rows = lattice.cellsY - 2;
  const quarantineKey = lattice.rows * rowStride;
  let previous = 0;
  let descents = 0;
  let index = 0;
  // Reads four particles before it updates counters; see ../shared/counting-sort.ts.
  for (; index + 3 < count; index += 4) {
    const x0 = positions[2 * index] as number;
    const y0 = positions[2 * index + 1] as number;
    const x1 = positions[2 * index + 2] as number;
    const y1 = positions[2 * index + 3] as number;
    const x2 = positions[2 * index + 4] as number;
    const y2 = positions[2 * index + 5] as number;
    const x3 = positions[2 * index + 6] as number;
    const y3 = positions[2 * index + 7] as number;
    const key0 = keyAt(x0, y0, originX, originY, inverseCellSize, columns, rows, rowStride, quarantineKey);
    const key1 = keyAt(x1, y1, originX, originY, inverseCellSize, columns, rows, rowStride, quarantineKey);
    const key2 = keyAt(x2, y2, originX, originY, inverseCellSize, columns, rows, rowStride, quarantineKey);
    const key3 = keyAt(x3, y3, originX, originY, inverseCellSize, columns, rows, rowStride, quarantineKey);
    counts[key0 >> shift] = (counts[key0 >> shift] as number) + 1;
    counts[key1 >> shift] = (counts[key1 >> shift] as number) + 1;
    counts[key2 >> shift] = (counts[key2 >> shift] as number) + 1;
    counts[key3 >> shift] = (counts[key3 >> shift] as number) + 1;
    inputKeys[index] = key0;
    inputKeys[index + 1] = key1;
    inputKeys[index + 2] = key2;
    inputKeys[index + 3] = key3;
    descents |= (key0 - previous) | (key1 - key0) | (key2 - key1) | (key3 - key2);
    previous = key3;
  }
  for (; index < count; index++) {
    const x = positions[2 * index] as number;
    const y = positions[2 * index + 1] as number;
    const key = keyAt(x, y, originX, originY, inverseCellSize, columns, rows, rowStride, quarantineKey);
    counts[key >> shift] = (counts[key >> shift] as number) + 1;
    inputKeys[index] = key;
    descents |= key - previous;
    previous = key;
  }
  return descents;
}

function collect(task: PairTask, stop: number, end: number): void {
  while (task.next < end && task.length <= stop) {
    collectInWindow(task, stop, end);
    // The window search stops early before slots that are sparse or do not fit.
    collectByKeys(task, stop, Math.min(end, task.next + STRETCH));
  }
}

function collectByKeys(task: PairTask, stop: number, end: number): void {
  const { keys, activeCount, positions, labels, diameter, words, lattice } = task;
  const toRowAhead = lattice.rowStride - 1;
  const limit = diameter * diameter;
  const surely = limit * SURELY;
  const perhaps = limit * PERHAPS;
  let slot = task.next;
  let length = task.length;
  let sure = length;
  // The first slot in or beyond the three cells in the row ahead.
  let ahead =
    slot < activeCount
      ? lowerBound(keys, activeCount, (keys[slot] as number) + toRowAhead, slot)
      : activeCount;
  for (; slot < end && length <= stop; slot++) {
    const key = keys[slot] as number;
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    // Writes every pair before its test, because a branch around the writing would often be mispredicted. The test is
    // written twice, because a function would be slower.
    for (let other = slot + 1; (keys[other] as number) <= key + 1; other++) {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const squared = dx * dx + dy * dy;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
    const rowAhead = key + toRowAhead;
    // Advances by one slot or none, which are about equally frequent, without a branch.
    ahead += ((keys[ahead] as number) - rowAhead) >>> 31;
    while ((keys[ahead] as number) < rowAhead) ahead++;
    for (let other = ahead; (keys[other] as number) <= rowAhead + 2; other++) {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const squared = dx * dx + dy * dy;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
  }
  if (sure < length) length = dropApart(words, task.length, length, positions, 2, diameter);
  labelSlots(words, task.length, length, labels);
  task.next = slot;
  task.length = length;
}

function overlapsAt(positions: Float32Array, slot: number, other: number, diameter: number): boolean {
  return overlapsInPlane(
    positions[2 * slot] as number,
    positions[2 * slot + 1] as number,
    positions[2 * other] as number,
    positions[2 * other + 1] as number,
    diameter,
  );
}

function collectAll(task: PairTask, stop: number): void {
  const { activeCount, positions, labels, diameter, words } = task;
  const limit = diameter * diameter;
  const band = limit * ROUNDING_BAND;
  let slot = task.next;
  let length = task.length;
  for (; slot < activeCount && length <= stop; slot++) {
    const x = positions[2 * slot] as number;
    const y = positions[2 * slot + 1] as number;
    const label = labels[slot] as number;
    for (let other = slot + 1; other < activeCount; other++) {
      const dx = (positions[2 * other] as number) - x;
      const dy = (positions[2 * other + 1] as number) - y;
      const excess = dx * dx + dy * dy - limit;
      if (excess > band) continue;
      if (excess >= -band && !overlapsAt(positions, slot, other, diameter)) continue;
      const otherLabel = labels[other] as number;
      const descent = labelsDescent(label, otherLabel);
      words[length++] = label + descent;
      words[length++] = otherLabel - descent;
    }
  }
  task.next = slot;
  task.length = length;
}

function scan(task: PairTask, slot: number, begin: number, end: number): void {
  const { positions, labels, diameter, words } = task;
  const limit = diameter * diameter;
  const band = limit * ROUNDING_BAND;
  const x = positions[2 * slot] as number;
  const y = positions[2 * slot + 1] as number;
  const label = labels[slot] as number;
  let { length } = task;
  for (let other = begin; other < end; other++) {
    const otherLabel = labels[other] as number;
    const descent = labelsDescent(label, otherLabel);
    words[length] = label + descent;
    words[length + 1] = otherLabel - descent;
    const dx = (positions[2 * other] as number) - x;
    const dy = (positions[2 * other + 1] as number) - y;
    const excess = dx * dx + dy * dy - limit;
    if (Math.abs(excess) > band) length += Number(excess < 0) << 1;
    else if (overlapsAt(positions, slot, other, diameter)) length += 2;
  }
  task.length = length;
}

function gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void {
  for (let slot = 0; slot < count; slot++) {
    const from = 2 * (source[slot] as number);
    target[2 * slot] = origin[from] as number;
    target[2 * slot + 1] = origin[from + 1] as number;
  }
}

export const PLANE: Kernels = {
  findCells,
  findCellsInBins,
  collect,
  collectAll,
  scan,
  gather,
};
