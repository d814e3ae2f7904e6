/**
 * The sort of order.ts in phases that several threads share. The resulting order is the same.
 *   1. findKeys, per batch of the input: finds the cell of each particle, and counts the particles per group of cells.
 *   2. plan, in one thread: finds where each group begins, and where each batch writes into it.
 *   3. scatter, per batch of the input: copies particles into their groups, in the order of the input.
 *   4. place, per part: sorts the particles of each group by cell. A part is a run of groups.
 *   5. complete, in one thread: sets the numbers that describe the whole order.
 * A group is a run of consecutive cells: a key shifted right by `shift` is the number of its group.
 */

import { fullestRowOf, sortInBins } from '../shared/counting-sort';
import type { Kernels } from '../shared/kernels';
import { lowerBound, NO_CELL } from '../shared/lattice';
import { integersIn, type Memory, wordsIn } from '../shared/memory';
import { CellScale } from './hashed';
import { type CellOrder, sortInsideCells } from './order';
import { kernelsFor } from './variants';

/** Greatest number of groups: few enough for the cache, and many enough to share them evenly. */
const GROUPS = 1024;

/** A group with at most this many particles is a single bin. */
const FEW = 8;

/** With at most this many particles in a bin, insertion sorts them fast. */
const MOST_IN_BIN = 32;

const NONE = new Uint32Array(0);

export class OrderPhases {
  private readonly kernels: Kernels;
  private readonly cells: number;
  private readonly shift: number;
  private readonly groups: number;
  private readonly keys: Int32Array;
  /** Per batch, the number of particles in each group; after `plan`, the slot of the next particle. */
  private readonly counts: Uint32Array;
  /** The first slot of each group, then the end. */
  private readonly begins: Uint32Array;
  /** The first group of each part, then the end. */
  private readonly parts: Uint32Array;
  /** Scratch: particles per bin of a group. */
  private bins = new Uint32Array(2 ** 12);
  /** Scratch for counts of an unbounded world, which `findCells` writes but nothing reads. */
  private readonly columns: Uint32Array;
  private readonly rows: Uint32Array;

  constructor(
    readonly order: CellOrder,
    capacity: number,
    mostBatches: number,
    memory: Memory,
  ) {
    const { lattice } = order;
    this.kernels = kernelsFor(lattice);
    this.cells = lattice.rows * lattice.rowStride;
    let shift = 0;
    while (this.cells >> shift >= GROUPS) shift++;
    this.shift = shift;
    this.groups = (this.cells >> shift) + 1;
    this.keys = integersIn(memory, capacity);
    this.counts = wordsIn(memory, mostBatches * this.groups);
    this.begins = wordsIn(memory, this.groups + 1);
    this.parts = wordsIn(memory, mostBatches + 1);
    const isHashed = lattice.world.kind === 'unbounded';
    this.columns = new Uint32Array(isHashed ? lattice.columns : 0);
    this.rows = new Uint32Array(isHashed ? lattice.rows + 1 : 0);
  }

  get memoryBytes(): number {
    const { keys, counts, begins, parts } = this;
    return keys.byteLength + counts.byteLength + begins.byteLength + parts.byteLength;
  }

  findKeys(batch: number, begin: number, end: number, positions: Float32Array): void {
    const { kernels, order, shift, groups } = this;
    const { lattice } = order;
    const { dimensions } = lattice;
    const own = positions.subarray(dimensions * begin, dimensions * end);
    const inputKeys = this.keys.subarray(begin, end);
    const counts = this.counts.subarray(groups * batch, groups * (batch + 1));
    counts.fill(0);
    if (lattice.world.kind !== 'unbounded') {
      kernels.findCellsInBins(lattice, own, end - begin, { counts, shift, inputKeys });
      return;
    }
    const { columns, rows } = this;
    const placement = {
      keys: inputKeys,
      source: NONE,
      records: NONE,
      columnCounts: columns,
      rowCounts: rows,
    };
    kernels.findCells(lattice, own, end - begin, placement);
    for (const key of inputKeys) {
      const group = key >> shift;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  /** Returns the number of parts, at most `batches`. */
  plan(batches: number, count: number): number {
    const { groups, counts, begins, parts } = this;
    let sum = 0;
    let part = 0;
    for (let group = 0; group < groups; group++) {
      begins[group] = sum;
      if (part < batches && sum * batches >= part * count) parts[part++] = group;
      for (let entry = group; entry < groups * batches; entry += groups) {
        const particles = counts[entry] as number;
        counts[entry] = sum;
        sum += particles;
      }
    }
    begins[groups] = sum;
    parts[part] = groups;
    return part;
  }

  scatter(batch: number, begin: number, end: number, words: Uint32Array): void {
    const { order, keys, shift, groups } = this;
    const { records, lattice } = order;
    const { dimensions } = lattice;
    const counts = this.counts.subarray(groups * batch, groups * (batch + 1));
    const is3D = dimensions === 3;
    const stride = dimensions + 2;
    let index = begin;
    // Reads two particles before it writes either; ../shared/counting-sort.ts says why.
    for (; index + 1 < end; index += 2) {
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
      const group = key >> shift;
      const nextGroup = nextKey >> shift;
      const entry = counts[group] as number;
      counts[group] = entry + 1;
      const nextEntry = counts[nextGroup] as number;
      counts[nextGroup] = nextEntry + 1;
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
    if (index < end) {
      const key = keys[index] as number;
      const group = key >> shift;
      const entry = counts[group] as number;
      counts[group] = entry + 1;
      records[stride * entry] = index;
      records[stride * entry + 1] = key;
      for (let axis = 0; axis < dimensions; axis++) {
        records[stride * entry + 2 + axis] = words[dimensions * index + axis] as number;
      }
    }
  }

  /** Sorts a part like CellOrder.sort. Returns the first slot of the part, and its end. */
  place(
    part: number,
    words: Uint32Array,
    target: Uint32Array,
    ids?: Uint32Array,
  ): readonly [begin: number, end: number] {
    const { begins, parts, order } = this;
    const { lattice, source, keys } = order;
    const { dimensions } = lattice;
    const first = parts[part] as number;
    const last = parts[part + 1] as number;
    for (let group = first; group < last; group++) {
      this.placeGroup(group, begins[group] as number, begins[group + 1] as number, target);
    }
    const begin = begins[first] as number;
    const end = begins[last] as number;
    if (ids) {
      const own = { keys: keys.subarray(begin, end), source: source.subarray(begin, end) };
      const sorted = target.subarray(dimensions * begin, dimensions * end);
      sortInsideCells(own, dimensions, ids, words, end - begin, sorted);
    }
    if (lattice.world.kind === 'unbounded') this.indexBuckets(first, last, target);
    return [begin, end];
  }

  complete(count: number): void {
    const { order, begins, shift, cells } = this;
    order.activeCount = lowerBound(order.keys, count, cells);
    order.fullestRow = fullestRowOf(order.lattice, begins.subarray(1), shift);
    order.keys.fill(NO_CELL, order.activeCount, count + 1);
    if (order.lattice.world.kind === 'unbounded') order.starts[cells] = order.activeCount;
  }

  private placeGroup(group: number, begin: number, end: number, target: Uint32Array): void {
    const { order, shift } = this;
    const { records, keys, source, lattice } = order;
    const { dimensions } = lattice;
    const is3D = dimensions === 3;
    const stride = dimensions + 2;
    const count = end - begin;
    if (count === 0) return;
    let binShift = count <= FEW ? shift : 0;
    while (1 << (shift - binShift) > 4 * count && binShift < shift) binShift++;
    const low = group << shift;
    if (this.countBins(begin, end, low, binShift) > MOST_IN_BIN && binShift > 0) {
      binShift = 0;
      this.countBins(begin, end, low, binShift);
    }
    const { bins } = this;
    for (let entry = begin; entry < end; entry++) {
      const record = stride * entry;
      const key = records[record + 1] as number;
      const bin = (key - low) >> binShift;
      const slot = bins[bin] as number;
      bins[bin] = slot + 1;
      keys[slot] = key;
      source[slot] = records[record] as number;
      const to = dimensions * slot;
      target[to] = records[record + 2] as number;
      target[to + 1] = records[record + 3] as number;
      if (is3D) target[to + 2] = records[record + 4] as number;
    }
    if (binShift === 0) return;
    const own = { keys: keys.subarray(begin, end), source: source.subarray(begin, end) };
    sortInBins(dimensions, target.subarray(dimensions * begin, dimensions * end), count, own);
  }

  /** Sets the first slot of each bin, and returns the number of particles in the fullest one. */
  private countBins(begin: number, end: number, low: number, binShift: number): number {
    const { order, shift } = this;
    const { records, lattice } = order;
    const stride = lattice.dimensions + 2;
    const used = 1 << (shift - binShift);
    if (this.bins.length < used) this.bins = new Uint32Array(used);
    const { bins } = this;
    bins.fill(0, 0, used);
    for (let entry = begin; entry < end; entry++) {
      const bin = ((records[stride * entry + 1] as number) - low) >> binShift;
      bins[bin] = (bins[bin] as number) + 1;
    }
    let slot = begin;
    let most = 0;
    for (let bin = 0; bin < used; bin++) {
      const particles = bins[bin] as number;
      bins[bin] = slot;
      slot += particles;
      if (particles > most) most = particles;
    }
    return most;
  }

  /** Does the same as indexBuckets (hashed.ts), but only for the buckets of some groups. */
  private indexBuckets(first: number, last: number, target: Uint32Array): void {
    const { order, begins, shift, cells } = this;
    const { keys, starts, coordinates, lattice } = order;
    const { dimensions, world } = lattice;
    const end = begins[last] as number;
    const scale = new CellScale(world);
    const positions = new Float32Array(target.buffer, target.byteOffset, target.length);
    let bucket = first << shift;
    let slot = begins[first] as number;
    for (; slot < end; slot++) {
      const key = keys[slot] as number;
      if (key >= cells) break;
      while (bucket <= key) starts[bucket++] = slot;
      for (let word = dimensions * slot; word < dimensions * (slot + 1); word++) {
        coordinates[word] = scale.cell(positions[word] as number);
      }
    }
    starts.fill(slot, bucket, Math.min(last << shift, cells));
  }
}
