/**
 * The canonical order of particles of one radius: by cell (in an unbounded world, by bucket), then by id. Quarantined
 * particles come last.
 *
 * The sort is a counting sort by column, then a stable one by row. Except in unbounded worlds, small or nearly ordered
 * input is usually sorted by bins instead. Input that is in order already is not sorted.
 * Guarantee: the order depends on the positions and ids alone. A sort allocates nothing that grows with the particles.
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
import { integersIn, type Memory, OWN_MEMORY, wordsIn } from '../shared/memory';
import { indexBuckets } from './hashed';
import { kernelsFor } from './variants';

/** Gaps of a Shell sort, descending. Up to 701 these are Ciura's gaps; each larger gap is 2.25 times the one below. */
const SHELL_GAPS = [701, 301, 132, 57, 23, 10, 4, 1];
while ((SHELL_GAPS[0] as number) < 2 ** 30) SHELL_GAPS.unshift(Math.floor((SHELL_GAPS[0] as number) * 2.25));

/** With at most this many particles, a sort by bins stays in the cache. */
const MOST_IN_CACHE = 2 ** 15;

/** With at most this many particles in a bin, insertion sorts them fast. */
const MOST_IN_BIN = 32;

/** With at most this many bins per particle, a pass over all bins costs little. */
const MOST_BINS_EACH = 4;

const SAMPLES = 256;

export class CellOrder {
  /** The key of each active slot, then NO_CELL at least once, so that loops over keys end. */
  readonly keys: Int32Array;
  /** Per slot, the particle's index in the input. */
  readonly source: Uint32Array;
  /** In an unbounded world, the first slot of each bucket, then the end; otherwise empty. */
  readonly starts: Uint32Array;
  /** In an unbounded world, the coordinates of each active slot's cell; otherwise empty. */
  readonly coordinates: Int32Array;
  activeCount = 0;
  /** An upper bound on the particles in any row of cells. */
  fullestRow = 0;
  private readonly kernels: Kernels;
  private readonly placement: Placement;
  /** Undefined in unbounded worlds, where most neighbouring cells have unrelated keys. */
  private readonly bins: Bins | undefined;

  constructor(
    readonly lattice: Lattice,
    capacity: number,
    memory: Memory = OWN_MEMORY,
  ) {
    const { dimensions, columns, rows, world } = lattice;
    const isHashed = world.kind === 'unbounded';
    this.kernels = kernelsFor(lattice);
    this.keys = integersIn(memory, capacity + 1);
    this.source = wordsIn(memory, capacity);
    this.starts = wordsIn(memory, isHashed ? world.cellCount + 1 : 0);
    this.coordinates = integersIn(memory, isHashed ? dimensions * capacity : 0);
    this.placement = {
      keys: this.keys,
      source: this.source,
      columnCounts: new Uint32Array(columns),
      // The last row counts quarantined particles.
      rowCounts: new Uint32Array(rows + 1),
      records: wordsIn(memory, (2 + dimensions) * capacity),
    };
    this.bins = isHashed ? undefined : defineBins(rows * columns, capacity, this.placement.records);
  }

  /** Scratch memory for sorts; see Placement. */
  get records(): Uint32Array {
    return this.placement.records;
  }

  get memoryBytes(): number {
    const arrays: readonly ArrayBufferView[] = Object.values(this.placement);
    const sorting = arrays.reduce((sum, array) => sum + array.byteLength, 0);
    return (
      sorting + (this.bins?.counts.byteLength ?? 0) + this.starts.byteLength + this.coordinates.byteLength
    );
  }

  /** Sorts `words`, the bits of `positions`, into `target`. Inside a cell, `ids` decide; default: 0, 1, 2 … */
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
      this.sortByColumnAndRow(positions, words, count, target);
    }
    keys.fill(NO_CELL, this.activeCount, count + 1);
    if (ids) sortInsideCells(this, lattice.dimensions, ids, words, count, target);
    if (lattice.world.kind === 'unbounded') indexBuckets(this, target);
  }

  private sortByColumnAndRow(
    positions: Float32Array,
    words: Uint32Array,
    count: number,
    target: Uint32Array,
  ): void {
    const { lattice, placement, kernels } = this;
    const { columnCounts, rowCounts } = placement;
    columnCounts.fill(0);
    rowCounts.fill(0);
    const inOrder = kernels.findCells(lattice, positions, count, placement) >= 0;
    this.activeCount = count - (rowCounts[lattice.rows] as number);
    this.fullestRow = countsToStarts(rowCounts);
    if (inOrder) {
      this.keepOrder(words, count, target);
      return;
    }
    countsToStarts(columnCounts);
    sortByColumn(lattice, words, count, placement);
    sortByRow(lattice, target, count, placement);
  }

  /** Returns false if a bin has too many particles for an insertion sort. */
  private sortInBins(
    bins: Bins,
    positions: Float32Array,
    words: Uint32Array,
    count: number,
    target: Uint32Array,
  ): boolean {
    const { keys, lattice, placement, kernels } = this;
    const { counts, inputKeys, shift } = bins;
    counts.fill(0);
    if (kernels.findCellsInBins(lattice, positions, count, bins) >= 0) {
      keys.set(inputKeys.subarray(0, count));
      this.keepOrder(words, count, target);
      countsToEnds(counts);
    } else {
      if (countsToStarts(counts) > MOST_IN_BIN) return false;
      sortByBin(bins, lattice.dimensions, words, target, count, placement);
      sortInBins(lattice.dimensions, target, count, placement);
    }
    this.activeCount = lowerBound(keys, count, lattice.rows * lattice.rowStride);
    this.fullestRow = fullestRowOf(lattice, counts, shift);
    return true;
  }

  census(): Pick<Measures, 'occupiedCells' | 'greatestOccupancy' | 'crowded'> {
    const { keys, activeCount } = this;
    let occupiedCells = 0;
    let greatestOccupancy = 0;
    let crowded = 0;
    let first = 0;
    for (let slot = 0; slot < activeCount; slot++) {
      // The last run ends at NO_CELL.
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

/** Samples pairs of consecutive particles. Returns true if few pairs are over two cells apart along the last axis. */
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

/** Sorts each run of equal keys by id. */
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
