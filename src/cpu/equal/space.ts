/** The inner loops of the search in 3D; see ../shared/kernels.ts and plane.ts. */
import type { Bins, Kernels, PairTask, Placement } from '../shared/kernels';
import { type Lattice, labelSlots, labelsDescent, lowerBound, STRETCH } from '../shared/lattice';
import { dropApart, overlapsInSpace, PERHAPS, ROUNDING_BAND, SURELY } from '../shared/overlap';
import { collectInWindow } from './space-window';

function findCells(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): number {
  const { originX, originY, originZ, inverseCellSize, rows, rowStride } = lattice;
  const { keys, columnCounts, rowCounts } = placement;
  const lastColumn = lattice.columns - 2;
  const lastRow = lattice.cellsY - 2;
  const lastLayer = lattice.cellsZ - 2;
  const { cellsY } = lattice;
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const x = positions[3 * index] as number;
    const y = positions[3 * index + 1] as number;
    const z = positions[3 * index + 2] as number;
    let column = 0;
    let row = rows;
    if (x - x + (y - y) + (z - z) === 0) {
      // plane.ts explains the difference from core/world/cells.ts.
      const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
      const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
      const scaledZ = Math.fround(Math.fround(z - originZ) * inverseCellSize);
      column = scaledX < lastColumn ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : lastColumn;
      row = scaledY < lastRow ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : lastRow;
      const layer = scaledZ < lastLayer ? (scaledZ > 0 ? (scaledZ | 0) + 1 : 1) : lastLayer;
      row += layer * cellsY;
    }
    columnCounts[column] = (columnCounts[column] as number) + 1;
    rowCounts[row] = (rowCounts[row] as number) + 1;
    const key = row * rowStride + column;
    keys[index] = key;
    descents |= key - previous;
    previous = key;
  }
  return descents;
}

/** `columns`, `rows` and `layers` count the cells inside the ring. */
function keyAt(
  x: number,
  y: number,
  z: number,
  originX: number,
  originY: number,
  originZ: number,
  inverseCellSize: number,
  columns: number,
  rows: number,
  layers: number,
  rowStride: number,
  layerStride: number,
  quarantineKey: number,
): number {
  const scaledX = Math.fround(Math.fround(x - originX) * inverseCellSize);
  const scaledY = Math.fround(Math.fround(y - originY) * inverseCellSize);
  const scaledZ = Math.fround(Math.fround(z - originZ) * inverseCellSize);
  if (x - x + (y - y) + (z - z) !== 0) return quarantineKey;
  const column = scaledX < columns ? (scaledX > 0 ? (scaledX | 0) + 1 : 1) : columns;
  const row = scaledY < rows ? (scaledY > 0 ? (scaledY | 0) + 1 : 1) : rows;
  const layer = scaledZ < layers ? (scaledZ > 0 ? (scaledZ | 0) + 1 : 1) : layers;
  return layer * layerStride + row * rowStride + column;
}

function findCellsInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): number {
  const { originX, originY, originZ, inverseCellSize, rowStride, layerStride } = lattice;
  const { inputKeys, counts, shift } = bins;
  const columns = lattice.columns - 2;
  const rows = lattice.cellsY - 2;
  const layers = lattice.cellsZ - 2;
  const quarantineKey = lattice.rows * rowStride;
  let previous = 0;
  let descents = 0;
  for (let index = 0; index < count; index++) {
    const key = keyAt(
      positions[3 * index] as number,
      positions[3 * index + 1] as number,
      positions[3 * index + 2] as number,
      originX,
      originY,
      originZ,
      inverseCellSize,
      columns,
      rows,
      layers,
      rowStride,
      layerStride,
      quarantineKey,
    );
    counts[key >> shift] = (counts[key >> shift] as number) + 1;
    inputKeys[index] = key;
    descents |= key - previous;
    previous = key;
  }
  return descents;
}

/**
 * The rows ahead are the next row, and three rows in the next layer. `toRowsAhead` has a number per row ahead: the key
 * of the first of its three cells, minus the key of the particle's cell.
 */
const ROWS_AHEAD = 4;
const toRowsAhead = new Int32Array(ROWS_AHEAD);
/** Per row ahead, the first slot in or after its three cells. */
const slotsAhead = new Int32Array(ROWS_AHEAD);

function collect(task: PairTask, stop: number, end: number, continues = false): void {
  for (let isLater = continues; task.next < end && task.length <= stop; isLater = true) {
    collectInWindow(task, stop, end, isLater);
    if (task.next < end) collectByKeys(task, stop, Math.min(end, task.next + STRETCH));
  }
}

function collectByKeys(task: PairTask, stop: number, end: number): void {
  const { keys, activeCount, positions, labels, diameter, words, lattice } = task;
  const limit = diameter * diameter;
  const surely = limit * SURELY;
  const perhaps = limit * PERHAPS;
  const { rowStride, layerStride } = lattice;
  toRowsAhead[0] = rowStride - 1;
  toRowsAhead[1] = layerStride - rowStride - 1;
  toRowsAhead[2] = layerStride - 1;
  toRowsAhead[3] = layerStride + rowStride - 1;
  let slot = task.next;
  let length = task.length;
  let sure = length;
  if (slot < activeCount) {
    for (let row = 0; row < ROWS_AHEAD; row++) {
      slotsAhead[row] = lowerBound(keys, activeCount, (keys[slot] as number) + (toRowsAhead[row] as number));
    }
  }
  for (; slot < end && length <= stop; slot++) {
    const key = keys[slot] as number;
    const x = positions[3 * slot] as number;
    const y = positions[3 * slot + 1] as number;
    const z = positions[3 * slot + 2] as number;
    for (let other = slot + 1; (keys[other] as number) <= key + 1; other++) {
      words[length] = slot;
      words[length + 1] = other;
      const dx = (positions[3 * other] as number) - x;
      const dy = (positions[3 * other + 1] as number) - y;
      const dz = (positions[3 * other + 2] as number) - z;
      const squared = dx * dx + dy * dy + dz * dz;
      length += Number(squared <= perhaps) << 1;
      sure += Number(squared < surely) << 1;
    }
    for (let row = 0; row < ROWS_AHEAD; row++) {
      const rowAhead = key + (toRowsAhead[row] as number);
      let ahead = slotsAhead[row] as number;
      ahead += ((keys[ahead] as number) - rowAhead) >>> 31;
      while ((keys[ahead] as number) < rowAhead) ahead++;
      slotsAhead[row] = ahead;
      for (; (keys[ahead] as number) <= rowAhead + 2; ahead++) {
        words[length] = slot;
        words[length + 1] = ahead;
        const dx = (positions[3 * ahead] as number) - x;
        const dy = (positions[3 * ahead + 1] as number) - y;
        const dz = (positions[3 * ahead + 2] as number) - z;
        const squared = dx * dx + dy * dy + dz * dz;
        length += Number(squared <= perhaps) << 1;
        sure += Number(squared < surely) << 1;
      }
    }
  }
  if (sure < length) length = dropApart(words, task.length, length, positions, 3, diameter);
  labelSlots(words, task.length, length, labels);
  task.next = slot;
  task.length = length;
}

function overlapsAt(positions: Float32Array, slot: number, other: number, diameter: number): boolean {
  return overlapsInSpace(
    positions[3 * slot] as number,
    positions[3 * slot + 1] as number,
    positions[3 * slot + 2] as number,
    positions[3 * other] as number,
    positions[3 * other + 1] as number,
    positions[3 * other + 2] as number,
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
    const x = positions[3 * slot] as number;
    const y = positions[3 * slot + 1] as number;
    const z = positions[3 * slot + 2] as number;
    const label = labels[slot] as number;
    for (let other = slot + 1; other < activeCount; other++) {
      const dx = (positions[3 * other] as number) - x;
      const dy = (positions[3 * other + 1] as number) - y;
      const dz = (positions[3 * other + 2] as number) - z;
      const excess = dx * dx + dy * dy + dz * dz - limit;
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
  const x = positions[3 * slot] as number;
  const y = positions[3 * slot + 1] as number;
  const z = positions[3 * slot + 2] as number;
  const label = labels[slot] as number;
  let { length } = task;
  for (let other = begin; other < end; other++) {
    const otherLabel = labels[other] as number;
    const descent = labelsDescent(label, otherLabel);
    words[length] = label + descent;
    words[length + 1] = otherLabel - descent;
    const dx = (positions[3 * other] as number) - x;
    const dy = (positions[3 * other + 1] as number) - y;
    const dz = (positions[3 * other + 2] as number) - z;
    const excess = dx * dx + dy * dy + dz * dz - limit;
    if (Math.abs(excess) > band) length += Number(excess < 0) << 1;
    else if (overlapsAt(positions, slot, other, diameter)) length += 2;
  }
  task.length = length;
}

function gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void {
  for (let slot = 0; slot < count; slot++) {
    const from = 3 * (source[slot] as number);
    target[3 * slot] = origin[from] as number;
    target[3 * slot + 1] = origin[from + 1] as number;
    target[3 * slot + 2] = origin[from + 2] as number;
  }
}

export const SPACE: Kernels = {
  findCells,
  findCellsInBins,
  collect,
  collectAll,
  scan,
  gather,
};
