/**
 * Purpose: the canonical order of particles: cells ascending, ids ascending inside a cell, particles that
 * are not finite last. Inputs: packed positions in any order and, if they are not 0, 1, 2 …, their ids.
 * Outputs: for each slot, the index it is filled from (`source`), the key of its cell (`keys`),
 * and the sorted positions.
 *
 * A counting sort by column and then a stable one by row: two tables of a few thousand counters that stay
 * in the cache, where one table of all cells would not, and no work at all for empty cells. Input that is in
 * order already is recognised while cells are computed, and left alone.
 * Guarantee: the same particles give the same order, whatever order they come in. Allocates nothing.
 */
import { kernelsFor } from './dimensions';
import type { Kernels, Order, Placement } from './kernels';
import { type Lattice, NO_CELL } from './lattice';

/** Strides of Shell's sort, descending: Ciura's, continued by 2.25. Runs are nearly always shorter than 4. */
const SHELL_GAPS = [701, 301, 132, 57, 23, 10, 4, 1];
while ((SHELL_GAPS[0] as number) < 2 ** 30) SHELL_GAPS.unshift(Math.floor((SHELL_GAPS[0] as number) * 2.25));

export class CellOrder implements Order {
  /** Cell of each slot; NO_CELL from `live` on, and one more entry so that every loop over keys ends. */
  readonly keys: Int32Array;
  /** Index in the input of the particle in each slot. */
  readonly source: Uint32Array;
  /** Slots filled with finite particles. */
  live = 0;
  private readonly kernels: Kernels;
  private readonly placement: Placement;
  private greatest = -1;

  constructor(
    readonly lattice: Lattice,
    capacity: number,
  ) {
    this.kernels = kernelsFor(lattice.dimensions);
    this.keys = new Int32Array(capacity + 1);
    this.keys[0] = NO_CELL;
    this.source = new Uint32Array(capacity);
    this.placement = {
      columnOf: new Int32Array(capacity),
      rowOf: new Int32Array(capacity),
      columnCounts: new Uint32Array(lattice.columns),
      rowCounts: new Uint32Array(lattice.rows + 1),
      nextSource: new Uint32Array(capacity),
      nextRow: new Int32Array(capacity),
      nextWords: new Uint32Array(lattice.dimensions * capacity),
    };
  }

  get memoryBytes(): number {
    const arrays: readonly ArrayBufferView[] = [this.keys, this.source, ...Object.values(this.placement)];
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  /** `words` are the bits of `positions`; `target` receives them sorted. */
  sort(
    positions: Float32Array,
    words: Uint32Array,
    count: number,
    target: Uint32Array,
    ids?: Uint32Array,
  ): void {
    const { keys, lattice, placement, kernels } = this;
    const { columnCounts, rowCounts } = placement;
    columnCounts.fill(0);
    rowCounts.fill(0);
    const inOrder = kernels.place(lattice, positions, count, placement);
    this.live = count - (rowCounts[lattice.rows] as number);
    this.greatest = -1;
    if (inOrder) {
      this.keepOrder(words, count, target);
    } else {
      countsToStarts(columnCounts);
      countsToStarts(rowCounts);
      kernels.sortByColumn(words, count, placement);
      kernels.sortByRow(lattice, placement, this, target);
    }
    keys.fill(NO_CELL, this.live, count + 1);
    if (ids) this.sortInsideCells(ids, words, count, target);
  }

  /** Particles in the fullest cell. */
  greatestOccupancy(): number {
    if (this.greatest >= 0) return this.greatest;
    const { keys, live } = this;
    let greatest = 0;
    let first = 0;
    for (let slot = 0; slot < live; slot++) {
      if (keys[slot] !== keys[first]) first = slot;
      if (slot - first >= greatest) greatest = slot - first + 1;
    }
    this.greatest = greatest;
    return greatest;
  }

  occupiedCells(): number {
    const { keys, live } = this;
    let occupied = 0;
    for (let slot = 0; slot < live; slot++) if (keys[slot] !== keys[slot + 1]) occupied++;
    // The last run ends at NO_CELL, which is no cell's key, so each run was counted at its end.
    return occupied;
  }

  private keepOrder(words: Uint32Array, count: number, target: Uint32Array): void {
    const { keys, source, lattice, placement } = this;
    const { columnOf, rowOf } = placement;
    for (let slot = 0; slot < count; slot++) {
      source[slot] = slot;
      keys[slot] = (rowOf[slot] as number) * lattice.rowStride + (columnOf[slot] as number);
    }
    const length = count * lattice.dimensions;
    for (let word = 0; word < length; word++) target[word] = words[word] as number;
  }

  /** Stable sorts leave a cell in the order of the input, which is not always that of the ids. */
  private sortInsideCells(ids: Uint32Array, words: Uint32Array, count: number, target: Uint32Array): void {
    const { keys, source } = this;
    const { dimensions } = this.lattice;
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
          const place = Math.floor(word / dimensions);
          target[word] = words[word + dimensions * ((source[place] as number) - place)] as number;
        }
        slot = end - 1;
      }
      previousId = ids[source[slot] as number] as number;
    }
  }
}

function countsToStarts(counts: Uint32Array): void {
  let sum = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] as number;
    counts[index] = sum;
    sum += count;
  }
}

/** Sorts source[first … end) by id, in place. */
function sortRun(source: Uint32Array, ids: Uint32Array, first: number, end: number): void {
  for (const gap of SHELL_GAPS) {
    for (let index = first + gap; index < end; index++) {
      const moving = source[index] as number;
      const id = ids[moving] as number;
      let place = index;
      while (place - gap >= first && (ids[source[place - gap] as number] as number) > id) {
        source[place] = source[place - gap] as number;
        place -= gap;
      }
      source[place] = moving;
    }
  }
}
