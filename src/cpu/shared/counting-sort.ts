/**
 * Stable sorts of particles by cell key. For input that is small or nearly in order, call `sortByBin`, then
 * `sortInBins`; a bin is a run of consecutive cells. For other input, call `sortByColumn`, then `sortByRow`: their two
 * tables of counters are so small that they usually stay in the cache.
 *
 * All sorts except `sortInBins` read two particles before they write either, because a processor may delay a read that
 * follows a write. Moving one particle per iteration takes nearly twice as long (bench/NOTES.md).
 */
import type { Bins, Placement } from './kernels';
import type { Lattice } from './lattice';

/** Makes at most `capacity` bins, plus one for the last cells and the quarantined particles. */
export function defineBins(cells: number, capacity: number, records: Uint32Array): Bins {
  let shift = 0;
  while (cells >> shift > Math.max(capacity, 1)) shift++;
  const inputKeys = new Int32Array(records.buffer);
  return { counts: new Uint32Array((cells >> shift) + 1), shift, inputKeys };
}

/** At the start, `counts` holds the first slot of each bin; on return, the end of each bin. */
export function sortByBin(
  { counts, shift, inputKeys }: Bins,
  dimensions: number,
  words: Uint32Array,
  target: Uint32Array,
  count: number,
  { keys, source }: Placement,
): void {
  const is3D = dimensions === 3;
  let index = 0;
  for (; index + 1 < count; index += 2) {
    const key = inputKeys[index] as number;
    const nextKey = inputKeys[index + 1] as number;
    const from = dimensions * index;
    const x = words[from] as number;
    const y = words[from + 1] as number;
    const z = is3D ? (words[from + 2] as number) : 0;
    const nextFrom = from + dimensions;
    const nextX = words[nextFrom] as number;
    const nextY = words[nextFrom + 1] as number;
    const nextZ = is3D ? (words[nextFrom + 2] as number) : 0;
    const bin = key >> shift;
    const nextBin = nextKey >> shift;
    const slot = counts[bin] as number;
    counts[bin] = slot + 1;
    const nextSlot = counts[nextBin] as number;
    counts[nextBin] = nextSlot + 1;
    keys[slot] = key;
    keys[nextSlot] = nextKey;
    source[slot] = index;
    source[nextSlot] = index + 1;
    const to = dimensions * slot;
    const nextTo = dimensions * nextSlot;
    target[to] = x;
    target[to + 1] = y;
    target[nextTo] = nextX;
    target[nextTo + 1] = nextY;
    if (is3D) {
      target[to + 2] = z;
      target[nextTo + 2] = nextZ;
    }
  }
  if (index < count) {
    const key = inputKeys[index] as number;
    const bin = key >> shift;
    const slot = counts[bin] as number;
    counts[bin] = slot + 1;
    keys[slot] = key;
    source[slot] = index;
    for (let axis = 0; axis < dimensions; axis++) {
      target[dimensions * slot + axis] = words[dimensions * index + axis] as number;
    }
  }
}

export function sortInBins(
  dimensions: number,
  target: Uint32Array,
  count: number,
  placement: Pick<Placement, 'keys' | 'source'>,
): void {
  const { keys, source } = placement;
  const is3D = dimensions === 3;
  let last = 0;
  for (let slot = 0; slot < count; slot++) {
    const key = keys[slot] as number;
    if (key >= last) {
      last = key;
      continue;
    }
    const index = source[slot] as number;
    const from = dimensions * slot;
    const x = target[from] as number;
    const y = target[from + 1] as number;
    const z = is3D ? (target[from + 2] as number) : 0;
    let entry = slot;
    for (; entry > 0 && (keys[entry - 1] as number) > key; entry--) {
      keys[entry] = keys[entry - 1] as number;
      source[entry] = source[entry - 1] as number;
      const to = dimensions * entry;
      target[to] = target[to - dimensions] as number;
      target[to + 1] = target[to + 1 - dimensions] as number;
      if (is3D) target[to + 2] = target[to - 1] as number;
    }
    keys[entry] = key;
    source[entry] = index;
    const to = dimensions * entry;
    target[to] = x;
    target[to + 1] = y;
    if (is3D) target[to + 2] = z;
  }
}

/** Returns an upper bound on the particles per row of cells. `ends` counts the particles up to the end of each bin. */
export function fullestRowOf({ rows, rowStride }: Lattice, ends: Uint32Array, shift: number): number {
  let fullest = 0;
  for (let row = 0; row < rows; row++) {
    const first = (row * rowStride) >> shift;
    const last = (row * rowStride + rowStride - 1) >> shift;
    const population = (ends[last] as number) - (first === 0 ? 0 : (ends[first - 1] as number));
    if (population > fullest) fullest = population;
  }
  return fullest;
}

/**
 * At the start, `columnCounts` holds the first record of each column.
 *
 * The row of a key is `floor(key / rowStride)`. Multiplying by the inverse is faster than dividing; the added ½ keeps
 * rounding from changing the row.
 */
export function sortByColumn(
  { rowStride, dimensions }: Pick<Lattice, 'rowStride' | 'dimensions'>,
  words: Uint32Array,
  count: number,
  { keys, columnCounts, records }: Placement,
): void {
  const inverseStride = 1 / rowStride;
  const is3D = dimensions === 3;
  const stride = dimensions + 2;
  let index = 0;
  for (; index + 1 < count; index += 2) {
    const key = keys[index] as number;
    const nextKey = keys[index + 1] as number;
    const from = dimensions * index;
    const x = words[from] as number;
    const y = words[from + 1] as number;
    const z = is3D ? (words[from + 2] as number) : 0;
    const nextFrom = from + dimensions;
    const nextX = words[nextFrom] as number;
    const nextY = words[nextFrom + 1] as number;
    const nextZ = is3D ? (words[nextFrom + 2] as number) : 0;
    const column = key - (((key + 0.5) * inverseStride) | 0) * rowStride;
    const nextColumn = nextKey - (((nextKey + 0.5) * inverseStride) | 0) * rowStride;
    const entry = columnCounts[column] as number;
    columnCounts[column] = entry + 1;
    const nextEntry = columnCounts[nextColumn] as number;
    columnCounts[nextColumn] = nextEntry + 1;
    const record = stride * entry;
    const nextRecord = stride * nextEntry;
    records[record] = index;
    records[record + 1] = key;
    records[record + 2] = x;
    records[record + 3] = y;
    if (is3D) records[record + 4] = z;
    records[nextRecord] = index + 1;
    records[nextRecord + 1] = nextKey;
    records[nextRecord + 2] = nextX;
    records[nextRecord + 3] = nextY;
    if (is3D) records[nextRecord + 4] = nextZ;
  }
  if (index < count) {
    const key = keys[index] as number;
    const column = key - (((key + 0.5) * inverseStride) | 0) * rowStride;
    const entry = columnCounts[column] as number;
    columnCounts[column] = entry + 1;
    const record = stride * entry;
    records[record] = index;
    records[record + 1] = key;
    for (let axis = 0; axis < dimensions; axis++) {
      records[record + 2 + axis] = words[dimensions * index + axis] as number;
    }
  }
}

/** At the start, `rowCounts` holds the first slot of each row. */
export function sortByRow(
  { rowStride, dimensions }: Pick<Lattice, 'rowStride' | 'dimensions'>,
  target: Uint32Array,
  count: number,
  { keys, source, rowCounts, records }: Placement,
): void {
  const inverseStride = 1 / rowStride;
  const is3D = dimensions === 3;
  const stride = dimensions + 2;
  let index = 0;
  for (; index + 1 < count; index += 2) {
    const record = stride * index;
    const key = records[record + 1] as number;
    const from = records[record] as number;
    const x = records[record + 2] as number;
    const y = records[record + 3] as number;
    const z = is3D ? (records[record + 4] as number) : 0;
    const nextRecord = record + stride;
    const nextKey = records[nextRecord + 1] as number;
    const nextFrom = records[nextRecord] as number;
    const nextX = records[nextRecord + 2] as number;
    const nextY = records[nextRecord + 3] as number;
    const nextZ = is3D ? (records[nextRecord + 4] as number) : 0;
    const row = ((key + 0.5) * inverseStride) | 0;
    const nextRow = ((nextKey + 0.5) * inverseStride) | 0;
    const slot = rowCounts[row] as number;
    rowCounts[row] = slot + 1;
    const nextSlot = rowCounts[nextRow] as number;
    rowCounts[nextRow] = nextSlot + 1;
    source[slot] = from;
    source[nextSlot] = nextFrom;
    keys[slot] = key;
    keys[nextSlot] = nextKey;
    const to = dimensions * slot;
    const nextTo = dimensions * nextSlot;
    target[to] = x;
    target[to + 1] = y;
    if (is3D) target[to + 2] = z;
    target[nextTo] = nextX;
    target[nextTo + 1] = nextY;
    if (is3D) target[nextTo + 2] = nextZ;
  }
  if (index < count) {
    const record = stride * index;
    const key = records[record + 1] as number;
    const row = ((key + 0.5) * inverseStride) | 0;
    const slot = rowCounts[row] as number;
    rowCounts[row] = slot + 1;
    source[slot] = records[record] as number;
    keys[slot] = key;
    for (let axis = 0; axis < dimensions; axis++) {
      target[dimensions * slot + axis] = records[record + 2 + axis] as number;
    }
  }
}

/** Replaces each count by the sum of the counts before it. Returns the greatest count. */
export function countsToStarts(counts: Uint32Array): number {
  let sum = 0;
  let greatest = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] as number;
    counts[index] = sum;
    sum += count;
    if (count > greatest) greatest = count;
  }
  return greatest;
}

export function countsToEnds(counts: Uint32Array): void {
  let sum = 0;
  for (let index = 0; index < counts.length; index++) {
    sum += counts[index] as number;
    counts[index] = sum;
  }
}
