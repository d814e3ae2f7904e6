/**
 * Sorts boxes into rows for sweep.ts, and in each row by low x. Along an axis that wraps, a box that reaches the far
 * end of the world also has an image, one period lower, unless it fills the axis.
 *
 * A row is an interval of y (in 3D, of y and z). Rows have levels: a row consists of whole rows of the level below. A
 * box is in the row of its low corner, on a level where its high corner is at most one row farther.
 *
 * If boxes a and b overlap, their low corners are in the same or in neighbouring rows on the higher of their levels.
 * Proof, along y or z: a higher coordinate never has a lower row, and low(b) ≤ high(a). Hence row(low(b)) ≤
 * row(high(a)) ≤ row(low(a)) + 1. The same holds with a and b swapped.
 */
import { wrapAxis } from '../../core/world/cells';
import { type Dimensions, GREATEST_FLOAT, type World } from '../../core/world/world';
import { FloatOrder } from '../shared/float-order';

/** Numbers per box: low x, y, z, then high x, y, z. */
export const CORNERS = 6;

/** The lowest level has about one row per this many boxes, or fewer rows. */
const ROW_SHARE = 16;

/** Greatest number of rows along an axis on the lowest level. */
const MOST_ROWS = 2 ** 20;

const SAMPLE = 512;

/** Share of the sample beyond each end of the rows. The outermost rows take these boxes. */
const OUTLIERS = 0.02;

/** This share of all boxes is ordinary. Some level has rows as wide as the longest ordinary box, or all are wider. */
const ORDINARY = 0.9;

/** Keeps rounding from moving a box to the next level. */
const WIDER = 1 + 2 ** -20;

export class BoxOrder {
  /** Slots in use: one per valid box, and one per image of a box that reaches the far end of the world. */
  slots = 0;
  /** Number of invalid boxes. They get no slot. */
  invalid = 0;
  ids = new Uint32Array(0);
  /** Per slot, one bit per axis along which the box is shifted down by a period. */
  shifts = new Uint8Array(0);
  corners = new Float32Array(0);
  /** Per slot, the index of its unshifted box in `unsortedCorners`. */
  sources = new Uint32Array(0);
  unsortedCorners = new Float32Array(0);
  /** The first slot of each row, level by level, then the end. */
  starts = new Uint32Array(1);
  /** The first row of each level, then the end. */
  readonly levelRows: number[] = [0];
  /** Number of rows along y and z on the lowest level. */
  readonly rows: [number, number] = [1, 1];

  private readonly origins: [number, number] = [0, 0];
  private readonly scales: [number, number] = [0, 0];
  private readonly wrapping: Pick<World, 'min' | 'period'>;
  private unsortedIds = new Uint32Array(0);
  private unsortedSources = new Uint32Array(0);
  private unsortedShifts = new Uint8Array(0);
  private rowOf = new Uint32Array(0);
  private order = new FloatOrder(0);

  constructor(
    readonly dimensions: Dimensions,
    readonly periods: readonly number[],
  ) {
    this.wrapping = { min: periods.map(() => 0), period: periods };
  }

  get memoryBytes(): number {
    const { corners, ids, sources, shifts, unsortedCorners, unsortedIds, unsortedSources, unsortedShifts } =
      this;
    const { starts, rowOf, order } = this;
    const boxes = [
      corners,
      ids,
      sources,
      shifts,
      unsortedCorners,
      unsortedIds,
      unsortedSources,
      unsortedShifts,
    ];
    return [...boxes, starts, rowOf].reduce((sum, list) => sum + list.byteLength, order.memoryBytes);
  }

  get levels(): number {
    return this.levelRows.length - 1;
  }

  build(boxes: Float32Array, count: number): void {
    this.collect(boxes, count);
    this.chooseRows();
    this.findRows();
    this.sortSlots();
  }

  private collect(boxes: Float32Array, count: number): void {
    const { dimensions, periods } = this;
    const wraps = periods.some((period) => period > 0);
    this.slots = 0;
    this.invalid = 0;
    this.makeRoom(count);
    for (let id = 0; id < count; id++) {
      const first = 2 * dimensions * id;
      let valid = true;
      for (let axis = 0; axis < dimensions; axis++) {
        const low = boxes[first + axis] as number;
        const high = boxes[first + dimensions + axis] as number;
        // With a NaN, `low <= high` is false.
        if (!(low <= high && low >= -GREATEST_FLOAT && high <= GREATEST_FLOAT)) valid = false;
      }
      if (!valid) {
        this.invalid++;
        continue;
      }
      if (wraps) this.makeRoom(this.slots + 1);
      const base = CORNERS * this.slots;
      for (let axis = 0; axis < dimensions; axis++) {
        this.unsortedCorners[base + axis] = boxes[first + axis] as number;
        this.unsortedCorners[base + 3 + axis] = boxes[first + dimensions + axis] as number;
      }
      if (dimensions === 2) {
        this.unsortedCorners[base + 2] = 0;
        this.unsortedCorners[base + 5] = 0;
      }
      this.unsortedIds[this.slots] = id;
      this.unsortedSources[this.slots] = this.slots;
      this.unsortedShifts[this.slots] = 0;
      this.slots++;
      if (wraps) this.wrapBox(base);
    }
  }

  /** Wraps the last box and adds its images. */
  private wrapBox(base: number): void {
    const { dimensions, periods, wrapping } = this;
    const { unsortedCorners } = this;
    let across = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const period = periods[axis] as number;
      if (!(period > 0)) continue;
      const low = unsortedCorners[base + axis] as number;
      const extent = Math.fround((unsortedCorners[base + 3 + axis] as number) - low);
      if (extent >= period) {
        unsortedCorners[base + axis] = 0;
        unsortedCorners[base + 3 + axis] = period;
        continue;
      }
      const inside = wrapAxis(wrapping, low, axis);
      // A box that does not move keeps its high end to the bit.
      const high =
        inside === low ? (unsortedCorners[base + 3 + axis] as number) : Math.fround(inside + extent);
      unsortedCorners[base + axis] = inside;
      unsortedCorners[base + 3 + axis] = high;
      if (high >= period) across |= 1 << axis;
    }
    // One image per combination of the axes whose far end the box reaches.
    const origin = this.slots - 1;
    for (let shift = across; shift > 0; shift = (shift - 1) & across) {
      this.makeRoom(this.slots + 1);
      const target = CORNERS * this.slots;
      this.unsortedCorners.copyWithin(target, base, base + CORNERS);
      for (let axis = 0; axis < dimensions; axis++) {
        if (!(shift & (1 << axis))) continue;
        const period = periods[axis] as number;
        this.unsortedCorners[target + axis] = (this.unsortedCorners[base + axis] as number) - period;
        this.unsortedCorners[target + 3 + axis] = (this.unsortedCorners[base + 3 + axis] as number) - period;
      }
      this.unsortedIds[this.slots] = this.unsortedIds[origin] as number;
      this.unsortedSources[this.slots] = origin;
      this.unsortedShifts[this.slots] = shift;
      this.slots++;
    }
  }

  private chooseRows(): void {
    const { dimensions, slots } = this;
    const share = Math.max(1, slots / ROW_SHARE);
    const most = Math.min(MOST_ROWS, Math.ceil(dimensions === 2 ? share : Math.sqrt(share)));
    const step = Math.max(1, Math.floor(slots / SAMPLE));
    const length = Math.ceil(slots / step);
    const lows = new Float32Array(length);
    const extents = new Float32Array(length);
    for (let axis = 1; axis < dimensions; axis++) {
      for (let index = 0; index < length; index++) {
        const base = CORNERS * step * index + axis;
        const low = this.unsortedCorners[base] as number;
        lows[index] = low;
        extents[index] = (this.unsortedCorners[base + 3] as number) - low;
      }
      lows.sort();
      extents.sort();
      const begin = lows[Math.floor(OUTLIERS * length)] ?? 0;
      const span = (lows[Math.floor((1 - OUTLIERS) * length)] ?? 0) - begin;
      const extent = WIDER * (extents[Math.floor(ORDINARY * length)] ?? 0);
      const least = span / most;
      const halvings = least > 0 && extent > least ? Math.floor(Math.log2(extent / least)) : 0;
      const width = extent > least ? extent / 2 ** halvings : least;
      const rows = width > 0 ? Math.min(most, Math.ceil(span / width) + 1) : 1;
      this.rows[axis - 1] = rows;
      this.origins[axis - 1] = begin;
      this.scales[axis - 1] = rows > 1 ? 1 / width : 0;
    }
    let rows = 0;
    this.levelRows.length = 0;
    for (let level = 0; ; level++) {
      this.levelRows.push(rows);
      rows += this.rowsAt(0, level) * this.rowsAt(1, level);
      if ((Math.max(...this.rows) - 1) >> level <= 1) break;
    }
    this.levelRows.push(rows);
    if (this.starts.length < rows + 1) this.starts = new Uint32Array(rows + 1);
  }

  /** Returns the number of rows along an axis: y if `across` is 0, z if it is 1. */
  rowsAt(across: 0 | 1, level: number): number {
    return ((this.rows[across] - 1) >> level) + 1;
  }

  /** Returns a row of the lowest level. A higher coordinate never has a lower row. */
  private rowAlong(across: 0 | 1, coordinate: number): number {
    const scaled = (coordinate - this.origins[across]) * this.scales[across];
    const last = this.rows[across] - 1;
    return scaled >= last ? last : scaled > 0 ? Math.floor(scaled) : 0;
  }

  private findRows(): void {
    const { slots, dimensions, unsortedCorners, rowOf, starts, levelRows, scales } = this;
    starts.fill(0);
    for (let index = 0; index < slots; index++) {
      const base = CORNERS * index;
      const low = unsortedCorners[base + 1] as number;
      const high = unsortedCorners[base + 4] as number;
      const y = this.rowAlong(0, low);
      const farY = this.rowAlong(0, high);
      let size = (high - low) * scales[0];
      let z = 0;
      let farZ = 0;
      if (dimensions === 3) {
        const lowZ = unsortedCorners[base + 2] as number;
        const highZ = unsortedCorners[base + 5] as number;
        z = this.rowAlong(1, lowZ);
        farZ = this.rowAlong(1, highZ);
        size = Math.max(size, (highZ - lowZ) * scales[1]);
      }
      // The size gives the level, so boxes of one size share a level. The highest level takes all larger boxes.
      const highest = levelRows.length - 2;
      let level = size > 1 ? Math.min(highest, 32 - Math.clz32(Math.ceil(Math.min(size, MOST_ROWS)) - 1)) : 0;
      while ((farY >> level) - (y >> level) > 1 || (farZ >> level) - (z >> level) > 1) level++;
      const row = (levelRows[level] as number) + (z >> level) * this.rowsAt(0, level) + (y >> level);
      rowOf[index] = row;
      starts[row + 1] = (starts[row + 1] as number) + 1;
    }
    const rows = levelRows[levelRows.length - 1] as number;
    for (let row = 1; row < rows; row++)
      starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number);
  }

  private sortSlots(): void {
    const { slots, order, rowOf, starts, levelRows } = this;
    const { unsortedCorners, unsortedIds, unsortedSources, unsortedShifts, corners, ids, sources, shifts } =
      this;
    const { keys } = order;
    for (let index = 0; index < slots; index++) keys[index] = unsortedCorners[CORNERS * index] as number;
    const ascending = order.sort(slots);
    for (let index = 0; index < slots; index++) {
      const source = ascending[index] as number;
      const row = rowOf[source] as number;
      const slot = starts[row] as number;
      starts[row] = slot + 1;
      ids[slot] = unsortedIds[source] as number;
      sources[slot] = unsortedSources[source] as number;
      shifts[slot] = unsortedShifts[source] as number;
      const from = CORNERS * source;
      const to = CORNERS * slot;
      corners[to] = unsortedCorners[from] as number;
      corners[to + 1] = unsortedCorners[from + 1] as number;
      corners[to + 2] = unsortedCorners[from + 2] as number;
      corners[to + 3] = unsortedCorners[from + 3] as number;
      corners[to + 4] = unsortedCorners[from + 4] as number;
      corners[to + 5] = unsortedCorners[from + 5] as number;
    }
    // Each start is now the start of the next row.
    const rows = levelRows[levelRows.length - 1] as number;
    starts.copyWithin(1, 0, rows);
    starts[0] = 0;
  }

  private makeRoom(slots: number): void {
    if (slots <= this.ids.length) return;
    const room = Math.max(slots, 64, Math.ceil(1.5 * this.ids.length));
    this.unsortedCorners = longer(this.unsortedCorners, new Float32Array(CORNERS * room));
    this.unsortedIds = longer(this.unsortedIds, new Uint32Array(room));
    this.unsortedSources = longer(this.unsortedSources, new Uint32Array(room));
    this.unsortedShifts = longer(this.unsortedShifts, new Uint8Array(room));
    this.corners = new Float32Array(CORNERS * room);
    this.ids = new Uint32Array(room);
    this.sources = new Uint32Array(room);
    this.shifts = new Uint8Array(room);
    this.rowOf = new Uint32Array(room);
    this.order = new FloatOrder(room);
  }
}

function longer<Numbers extends Float32Array | Uint32Array | Uint8Array>(
  numbers: Numbers,
  room: Numbers,
): Numbers {
  room.set(numbers);
  return room;
}
