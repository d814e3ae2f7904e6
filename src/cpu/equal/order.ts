/**
 * The canonical order of particles: cells ascending (in an unbounded world, buckets of its table), ids ascending inside
 * each, particles that are not finite last.
 * Inputs: packed positions in any order and, if they are not 0, 1, 2 …, their ids.
 * Outputs: for each slot, the index it is filled from (`source`), the key of its cell (`keys`), and the sorted
 * positions.
 *
 * A counting sort by column and then a stable one by row (of a table, by the lower and the upper half of a bucket). Two
 * tables of a few thousand counters stay in the cache, where one table of all cells would not, and empty cells cost
 * nothing. Input that is in order already is recognised while cells are computed, and not sorted.
 * Guarantee: the same particles give the same order, whatever order they come in. Allocates nothing.
 */
import { CROWDED } from '../../core/base/constants';
import type { Measures } from '../../core/simulation/simulation';
import {
  countsToEnds,
  countsToStarts,
  defineBins,
  fullestRowOf,
  sortByBin,
  sortByColumn,
  sortByRow,
  sortInBins,
} from '../shared/counting-sort';
import type { Bins, Kernels, Placement } from '../shared/kernels';
import { type Lattice, lowerBound, NO_CELL } from '../shared/lattice';
import { indexBuckets } from './hashed';
import { kernelsFor } from './variants';

/** Strides of Shell's sort, descending: Ciura's, continued by 2.25. Runs are nearly always shorter than 4. */
const SHELL_GAPS = [701, 301, 132, 57, 23, 10, 4, 1];
while ((SHELL_GAPS[0] as number) < 2 ** 30) SHELL_GAPS.unshift(Math.floor((SHELL_GAPS[0] as number) * 2.25));

/** Particles up to which a sort by bins stays in the cache, whatever the order of the input. */
const MOST_IN_CACHE = 2 ** 15;

/** Particles in a bin up to which they are sorted by insertion. */
const MOST_IN_BIN = 32;

/** Bins per particle up to which a pass over all bins costs little. There may be as many bins as the capacity. */
const MOST_BINS_EACH = 4;

/** Number of particles that are tested whether they are near the one before. */
const SAMPLES = 256;

export class CellOrder {
  /** Key of each slot; NO_CELL from `live` on, with one more entry so that every loop over keys ends. */
  readonly keys: Int32Array;
  /** Index in the input of the particle in each slot. */
  readonly source: Uint32Array;
  /**
   * In unbounded worlds the first slot of each bucket, one entry more, and the cell of each live slot; empty otherwise.
   */
  readonly starts: Uint32Array;
  readonly coordinates: Int32Array;
  /** Number of slots with finite particles; they come first. */
  live = 0;
  /** Particles in the fullest row of cells, or a few more. */
  fullestRow = 0;
  private readonly kernels: Kernels;
  private readonly placement: Placement;
  /** Undefined in unbounded worlds, where neighbouring cells have unrelated keys. */
  private readonly bins: Bins | undefined;

  constructor(
    readonly lattice: Lattice,
    capacity: number,
  ) {
    const { dimensions, columns, rows, world } = lattice;
    const isHashed = world.kind === 'unbounded';
    this.kernels = kernelsFor(lattice);
    this.keys = new Int32Array(capacity + 1);
    this.keys[0] = NO_CELL;
    this.source = new Uint32Array(capacity);
    this.starts = new Uint32Array(isHashed ? world.cellCount + 1 : 0);
    this.coordinates = new Int32Array(isHashed ? dimensions * capacity : 0);
    this.placement = {
      keys: this.keys,
      source: this.source,
      columnCounts: new Uint32Array(columns),
      // The last one counts particles that are not finite.
      rowCounts: new Uint32Array(rows + 1),
      records: new Uint32Array((2 + dimensions) * capacity),
    };
    this.bins = isHashed ? undefined : defineBins(rows * columns, capacity, this.placement.records);
  }

  get memoryBytes(): number {
    const arrays: readonly ArrayBufferView[] = Object.values(this.placement);
    const sorting = arrays.reduce((sum, array) => sum + array.byteLength, 0);
    return (
      sorting + (this.bins?.counts.byteLength ?? 0) + this.starts.byteLength + this.coordinates.byteLength
    );
  }

  /** `words` are the bits of `positions`; `target` receives them sorted. */
  sort(
    positions: Float32Array,
    words: Uint32Array,
    count: number,
    target: Uint32Array,
    ids?: Uint32Array,
  ): void {
    const { keys, lattice, bins } = this;
    const isFilled = bins !== undefined && bins.counts.length <= MOST_BINS_EACH * count;
    const isLocal = isFilled && (count <= MOST_IN_CACHE || isNearlyInOrder(lattice, positions, count));
    if (!(isLocal && this.sortInBins(bins, positions, words, count, target))) {
      this.sortInTwo(positions, words, count, target);
    }
    keys.fill(NO_CELL, this.live, count + 1);
    if (ids) sortInsideCells(this, lattice.dimensions, ids, words, count, target);
    if (lattice.world.kind === 'unbounded') indexBuckets(this, target);
  }

  private sortInTwo(positions: Float32Array, words: Uint32Array, count: number, target: Uint32Array): void {
    const { lattice, placement, kernels } = this;
    const { columnCounts, rowCounts } = placement;
    columnCounts.fill(0);
    rowCounts.fill(0);
    const inOrder = kernels.findCells(lattice, positions, count, placement) >= 0;
    this.live = count - (rowCounts[lattice.rows] as number);
    this.fullestRow = countsToStarts(rowCounts);
    if (inOrder) {
      this.keepOrder(words, count, target);
      return;
    }
    countsToStarts(columnCounts);
    sortByColumn(lattice, words, count, placement);
    sortByRow(lattice, target, count, placement);
  }

  /** Returns false, with nothing sorted, if so many particles share a bin that insertion would take long. */
  private sortInBins(
    bins: Bins,
    positions: Float32Array,
    words: Uint32Array,
    count: number,
    target: Uint32Array,
  ): boolean {
    const { keys, lattice, placement, kernels } = this;
    const { counts, given, shift } = bins;
    counts.fill(0);
    if (kernels.findCellsInBins(lattice, positions, count, bins) >= 0) {
      keys.set(given.subarray(0, count));
      this.keepOrder(words, count, target);
      countsToEnds(counts);
    } else {
      if (countsToStarts(counts) > MOST_IN_BIN) return false;
      sortByBin(bins, lattice.dimensions, words, target, count, placement);
      sortInBins(lattice.dimensions, target, count, placement);
    }
    this.live = lowerBound(keys, count, lattice.rows * lattice.rowStride);
    this.fullestRow = fullestRowOf(lattice, counts, shift);
    return true;
  }

  /** Counts how particles fill the cells. */
  census(): Pick<Measures, 'occupiedCells' | 'greatestOccupancy' | 'crowded'> {
    const { keys, live } = this;
    let occupiedCells = 0;
    let greatestOccupancy = 0;
    let crowded = 0;
    let first = 0;
    for (let slot = 0; slot < live; slot++) {
      // The last run ends at NO_CELL, which is no cell's key.
      if (keys[slot] === keys[slot + 1]) continue;
      const occupancy = slot + 1 - first;
      first = slot + 1;
      occupiedCells++;
      if (occupancy > greatestOccupancy) greatestOccupancy = occupancy;
      if (occupancy > CROWDED) crowded += occupancy;
    }
    return { occupiedCells, greatestOccupancy, crowded };
  }

  private keepOrder(words: Uint32Array, count: number, target: Uint32Array): void {
    const { source } = this;
    for (let slot = 0; slot < count; slot++) source[slot] = slot;
    const length = count * this.lattice.dimensions;
    for (let word = 0; word < length; word++) target[word] = words[word] as number;
  }
}

/**
 * True if consecutive particles are mostly in the same or neighbouring rows, so that a sort writes to few positions.
 */
function isNearlyInOrder(
  { dimensions, inverseCellSize }: Lattice,
  positions: Float32Array,
  count: number,
): boolean {
  const step = Math.ceil(count / SAMPLES);
  let far = 0;
  for (let index = step; index < count; index += step) {
    const last = dimensions * index + dimensions - 1;
    const apart = (positions[last] as number) - (positions[last - dimensions] as number);
    if (!(Math.abs(apart) * inverseCellSize <= 2)) far++;
  }
  return far < SAMPLES / 8;
}

/**
 * Sorts each run of equal keys by id. A stable sort leaves a cell in the order of the input, which may differ from the
 * order of ids.
 */
export function sortInsideCells(
  { keys, source }: Pick<Placement, 'keys' | 'source'>,
  dimensions: number,
  ids: Uint32Array,
  words: Uint32Array,
  count: number,
  target: Uint32Array,
): void {
  let first = 0;
  let previousId = -1;
  for (let slot = 0; slot < count; slot++) {
    const id = ids[source[slot] as number] as number;
    if (keys[slot] !== keys[first]) {
      first = slot;
    } else if (id < previousId) {
      let end = slot + 1;
      while (end < count && keys[end] === keys[first]) end++;
      sortRun(source, ids, first, end);
      for (let word = dimensions * first; word < dimensions * end; word++) {
        const at = Math.floor(word / dimensions);
        target[word] = words[word + dimensions * ((source[at] as number) - at)] as number;
      }
      slot = end - 1;
    }
    previousId = ids[source[slot] as number] as number;
  }
}

/** Sorts source[first … end) by id, in place. */
function sortRun(source: Uint32Array, ids: Uint32Array, first: number, end: number): void {
  for (const gap of SHELL_GAPS) {
    for (let index = first + gap; index < end; index++) {
      const moving = source[index] as number;
      const id = ids[moving] as number;
      let entry = index;
      while (entry - gap >= first && (ids[source[entry - gap] as number] as number) > id) {
        source[entry] = source[entry - gap] as number;
        entry -= gap;
      }
      source[entry] = moving;
    }
  }
}
