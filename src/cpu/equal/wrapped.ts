/**
 * The loops for a periodic world, which also find pairs across its ends; see ../shared/kernels.ts.
 *
 * If a cell has no cell ahead across an end, the loops of bounded worlds find the pairs of its slots. They need no
 * minimum images: a periodic axis has three or more cells, so cells that touch directly do not also touch across an
 * end. For other cells, this file lists the ranges of slots in the cells ahead and compares minimum images.
 * Ordering: pairs come by their lower slot, then by their higher slot.
 */
import type { PairTask } from '../shared/kernels';
import { type Lattice, labelsDescent, lowerBound } from '../shared/lattice';
import { minimumDistance, overlapsWrapped, wrappedBand } from '../shared/overlap';
import { PLANE } from './plane';
import { SPACE } from './space';

/** Ascending ranges of slots in a cell and the cells ahead. In 3D there are at most nine rows of up to two ranges. */
const begins = new Int32Array(18);
const ends = new Int32Array(18);
let ranges = 0;

/** Coordinates of a cell and its neighbours along y and z, ascending. */
const nearRows = new Int32Array(3);
const nearLayers = new Int32Array(3);

export function collect(task: PairTask, stop: number, end: number): void {
  const { keys, activeCount, lattice } = task;
  const { collect: collectInside } = lattice.dimensions === 2 ? PLANE : SPACE;
  const lastColumn = lattice.columns - 2;
  let continues = false;
  while (task.next < end && task.length <= stop) {
    const key = keys[task.next] as number;
    if (isAtEnd(lattice, key)) {
      collectCell(task, stop, end);
    } else {
      const last = key - columnOf(lattice, key) + lastColumn - (lattice.wrapsX ? 1 : 0);
      collectInside(task, stop, Math.min(end, lowerBound(keys, activeCount, last + 1)), continues);
      continues = true;
    }
  }
}

export function collectAll(task: PairTask, stop: number): void {
  const { activeCount } = task;
  for (; task.next < activeCount && task.length <= stop; task.next++) {
    scan(task, task.next, task.next + 1, activeCount);
  }
}

export function countCandidates(lattice: Lattice, keys: Int32Array, activeCount: number): number {
  let candidates = 0;
  let first = 0;
  while (first < activeCount) {
    const end = findRanges(lattice, keys, activeCount, first);
    const occupancy = end - first;
    candidates += (occupancy * (occupancy - 1)) / 2;
    for (let range = 0; range < ranges; range++) {
      candidates += occupancy * Math.max(0, (ends[range] as number) - Math.max(begins[range] as number, end));
    }
    first = end;
  }
  return candidates;
}

/** Returns a cell's number as in core/world/cells.ts, where axes that wrap have no ring. */
export function cellOfKey(lattice: Lattice, key: number): number {
  const { cells } = lattice.world;
  const [columns, cellsY] = cells as [number, number];
  const row = rowOf(lattice, key);
  const layer = Math.floor(row / lattice.cellsY);
  const x = key - row * lattice.rowStride - (lattice.wrapsX ? 1 : 0);
  const y = row - layer * lattice.cellsY - (lattice.wrapsY ? 1 : 0);
  const z = layer - (lattice.wrapsZ ? 1 : 0);
  return (z * cellsY + y) * columns + x;
}

function collectCell(task: PairTask, stop: number, end: number): void {
  const { keys, activeCount, lattice } = task;
  const cellEnd = Math.min(end, findRanges(lattice, keys, activeCount, task.next));
  for (; task.next < cellEnd && task.length <= stop; task.next++) {
    const after = task.next + 1;
    for (let range = 0; range < ranges; range++) {
      scan(task, task.next, Math.max(begins[range] as number, after), ends[range] as number);
    }
  }
}

function findRanges(lattice: Lattice, keys: Int32Array, activeCount: number, slot: number): number {
  const key = keys[slot] as number;
  const row = rowOf(lattice, key);
  const column = key - row * lattice.rowStride;
  const layer = Math.floor(row / lattice.cellsY);
  const rows = listNear(nearRows, row - layer * lattice.cellsY, lattice.cellsY, lattice.wrapsY);
  const layers =
    lattice.dimensions === 2
      ? listOnly(nearLayers, layer)
      : listNear(nearLayers, layer, lattice.cellsZ, lattice.wrapsZ);
  const last = lattice.columns - 2;
  ranges = 0;
  for (let z = 0; z < layers; z++) {
    for (let y = 0; y < rows; y++) {
      const ahead = (nearLayers[z] as number) * lattice.cellsY + (nearRows[y] as number);
      if (ahead < row) continue;
      const rowKey = ahead * lattice.rowStride;
      if (lattice.wrapsX && column === 1) {
        addRange(keys, activeCount, slot, rowKey + 1, rowKey + 2);
        addRange(keys, activeCount, slot, rowKey + last, rowKey + last);
      } else if (lattice.wrapsX && column === last) {
        addRange(keys, activeCount, slot, rowKey + 1, rowKey + 1);
        addRange(keys, activeCount, slot, rowKey + last - 1, rowKey + last);
      } else {
        addRange(keys, activeCount, slot, rowKey + column - 1, rowKey + column + 1);
      }
    }
  }
  let end = slot;
  while (keys[end] === key) end++;
  return end;
}

/** Adds the range of the cells from `firstKey` to `lastKey`, without the slots before `slot`. */
function addRange(
  keys: Int32Array,
  activeCount: number,
  slot: number,
  firstKey: number,
  lastKey: number,
): void {
  if (lastKey < (keys[slot] as number)) return;
  const begin = firstKey <= (keys[slot] as number) ? slot : lowerBound(keys, activeCount, firstKey);
  let end = begin;
  while ((keys[end] as number) <= lastKey) end++;
  if (end === begin) return;
  begins[ranges] = begin;
  ends[ranges] = end;
  ranges++;
}

function listNear(list: Int32Array, coordinate: number, cells: number, wraps: boolean): number {
  const isFirst = wraps && coordinate === 1;
  const isLast = wraps && coordinate === cells - 2;
  list[0] = isLast ? 1 : isFirst ? 1 : coordinate - 1;
  list[1] = isLast ? coordinate - 1 : isFirst ? 2 : coordinate;
  list[2] = isLast ? coordinate : isFirst ? cells - 2 : coordinate + 1;
  return 3;
}

function listOnly(list: Int32Array, coordinate: number): number {
  list[0] = coordinate;
  return 1;
}

function isAtEnd(lattice: Lattice, key: number): boolean {
  const { cellsY, wrapsX, wrapsY, wrapsZ } = lattice;
  const row = rowOf(lattice, key);
  const column = key - row * lattice.rowStride;
  const layer = Math.floor(row / cellsY);
  const y = row - layer * cellsY;
  return (
    (wrapsX && (column === 1 || column === lattice.columns - 2)) ||
    // Across the upper end, the last row borders the first row. In 2D, the first row has lower keys, so it is not
    // ahead. In 3D, the first row of the next layer is ahead.
    (wrapsY && (y === 1 || (y === cellsY - 2 && lattice.dimensions === 3))) ||
    (wrapsZ && layer === 1)
  );
}

function rowOf(lattice: Lattice, key: number): number {
  return Math.floor(key / lattice.rowStride);
}

function columnOf(lattice: Lattice, key: number): number {
  return key - rowOf(lattice, key) * lattice.rowStride;
}

function scan(task: PairTask, slot: number, begin: number, end: number): void {
  const { positions, labels, diameter, words, lattice } = task;
  const { dimensions, periods } = lattice;
  const is2D = dimensions === 2;
  const [periodX, periodY, periodZ = 0] = periods as [number, number, number?];
  const limit = diameter * diameter;
  const band = wrappedBand(diameter, lattice.longestPeriod);
  const first = dimensions * slot;
  const x = positions[first] as number;
  const y = positions[first + 1] as number;
  const z = is2D ? 0 : (positions[first + 2] as number);
  const label = labels[slot] as number;
  let { length } = task;
  for (let other = begin; other < end; other++) {
    const at = dimensions * other;
    const dx = minimumDistance((positions[at] as number) - x, periodX);
    const dy = minimumDistance((positions[at + 1] as number) - y, periodY);
    const dz = is2D ? 0 : minimumDistance((positions[at + 2] as number) - z, periodZ);
    const excess = dx * dx + dy * dy + dz * dz - limit;
    if (excess > band) continue;
    if (excess >= -band && !overlapsWrapped(positions, slot, other, diameter, periods)) continue;
    const otherLabel = labels[other] as number;
    const descent = labelsDescent(label, otherLabel);
    words[length++] = label + descent;
    words[length++] = otherLabel - descent;
  }
  task.length = length;
}
