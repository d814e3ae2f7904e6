/**
 * The cells of a CpuIndex: a hash table with a record per object, in the bucket of the object's cell. The edge of that
 * cell is the least power of two that is at least the object's diameter and `cellSize`. Cells of one size form a level;
 * all levels share one table. A change looks at one or two buckets and allocates nothing.
 */

import { FARTHEST_CELL, HASH_BLOCK, HASH_BLOCK_SHIFT } from '../../core/base/constants';
import type { Bounds } from '../../core/world/bounds';
import { LARGEST_DIAMETER, SMALLEST_DIAMETER } from '../../core/world/world';
import type { Side } from '../equal/box';
import type { CellsAlong } from '../shared/ray-walk';

/** Exponent of the edge of the smallest cells. */
const LEAST_EXPONENT = Math.log2(SMALLEST_DIAMETER);
const LEVELS = Math.log2(LARGEST_DIAMETER) - LEAST_EXPONENT + 1;

/** The words of an object's record. Tests of distances read only the first four words. */
const X = 0;
const Y = 1;
const Z = 2;
export const RADIUS = 3;
/** The next object in the bucket, or NONE. */
const NEXT = 4;
/** The object's level, or NONE if no object has this id. Cells of a level have edges of 2^(level + LEAST_EXPONENT). */
export const LEVEL = 5;
const CELL_X = 6;
const CELL_Y = 7;
const CELL_Z = 8;
/** The previous object in the bucket; for the first object, the bucket's number with all bits inverted. */
const PREVIOUS = 9;
/** The next and the previous object of the level, or NONE. */
const LEVEL_NEXT = 10;
const LEVEL_PREVIOUS = 11;
export const WORDS = 12;

export const NONE = -1;

const BUCKETS_PER_OBJECT = 2;

const PRIMES = [0x8da6b343, 0xd8163841, 0xcb1ab31f, 0x9e3779b1] as const;

export class LiveCells {
  /** WORDS words per object, as floats and as integers in the same memory. */
  readonly reals: Float32Array;
  readonly words: Int32Array;
  /** Per level: the number of its objects, and the first object or NONE. */
  readonly counts = new Uint32Array(LEVELS);
  private readonly firsts = new Int32Array(LEVELS).fill(NONE);
  /** The levels that have objects, ascending: the first `occupiedLevels` entries. */
  readonly occupied = new Uint8Array(LEVELS);
  occupiedLevels = 0;
  /** The period of each axis; infinite along axes that do not wrap. */
  readonly periods = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  /** The first object of each bucket, or NONE. */
  private readonly heads: Int32Array;
  private readonly smallestLevel: number;
  /** The origin of the cells, and the first cell, along each axis. In 2D, there is one cell along z. */
  private readonly origins = new Float64Array(3);
  private readonly lowest = new Float64Array(3);
  /** Last cell of each level along each axis. Along axes that wrap, it includes the rest of the period. */
  private readonly highest = new Float64Array(3 * LEVELS);
  private readonly scales = Float64Array.from(
    { length: LEVELS },
    (_, level) => 2 ** (-LEAST_EXPONENT - level),
  );
  /**
   * Per level and axis, the first and the last cell that had objects since the level was last empty. Box searches skip
   * the cells beyond. Rays skip them only along axes that do not wrap.
   */
  private readonly ranges = new Int32Array(6 * LEVELS);
  /** A margin greater than the rounding error of a position plus a period; 0 along axes that do not wrap. */
  private readonly slack = new Float64Array(3);
  private readonly cell = new Int32Array(3);
  /** First and last cell of two ranges along each axis. The second range is usually empty. */
  private readonly spans = new Int32Array(12);
  private readonly radiusBits = new Float32Array(1);
  private readonly radiusWord = new Int32Array(this.radiusBits.buffer);

  constructor({ dimensions, min, period }: Bounds, capacity: number, cellSize: number | undefined) {
    this.words = new Int32Array(WORDS * capacity);
    this.reals = new Float32Array(this.words.buffer);
    this.heads = new Int32Array(2 ** Math.ceil(Math.log2(BUCKETS_PER_OBJECT * Math.max(1, capacity))));
    this.smallestLevel = cellSize === undefined ? 0 : this.levelOfDiameter(Math.fround(cellSize));
    for (let axis = 0; axis < dimensions; axis++) {
      const length = period[axis] as number;
      const low = min[axis] as number;
      this.lowest[axis] = length > 0 ? 0 : -FARTHEST_CELL;
      for (let level = 0; level < LEVELS; level++) {
        const cells = Math.max(1, Math.floor(length * (this.scales[level] as number)));
        this.highest[LEVELS * axis + level] = length > 0 ? Math.min(FARTHEST_CELL, cells - 1) : FARTHEST_CELL;
      }
      if (length === 0) continue;
      this.origins[axis] = low;
      this.periods[axis] = length;
      this.slack[axis] = 2 ** -45 * Math.max(Math.abs(low), Math.abs(low + length));
    }
    this.clear();
  }

  get memoryBytes(): number {
    const buffers = new Set(
      Object.values(this).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : [])),
    );
    return [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
  }

  clear(): void {
    this.heads.fill(NONE);
    for (let record = 0; record < this.words.length; record += WORDS) this.words[record + LEVEL] = NONE;
    this.counts.fill(0);
    this.firsts.fill(NONE);
    this.occupiedLevels = 0;
  }

  levelOfRadius(radius: number): number {
    return Math.max(this.smallestLevel, this.levelOfDiameter(2 * Math.fround(radius)));
  }

  greatestRadius(level: number): number {
    return 0.5 / (this.scales[level] as number);
  }

  /** Returns the lowest level whose cells are at least as wide as `diameter`, a normal 32-bit float. */
  private levelOfDiameter(diameter: number): number {
    this.radiusBits[0] = diameter;
    const word = this.radiusWord[0] as number;
    const exponent = (word >>> 23) - 127;
    return exponent - LEAST_EXPONENT + ((word & 0x7f_ffff) === 0 ? 0 : 1);
  }

  /** Enters an object in a level and in the bucket of its cell. The object's centre must be in its record already. */
  attach(id: number, level: number): void {
    const { words, counts, firsts } = this;
    const record = WORDS * id;
    const next = firsts[level] as number;
    words[record + LEVEL] = level;
    words[record + LEVEL_NEXT] = next;
    words[record + LEVEL_PREVIOUS] = NONE;
    if (next !== NONE) words[WORDS * next + LEVEL_PREVIOUS] = id;
    firsts[level] = id;
    const before = counts[level] as number;
    counts[level] = before + 1;
    if (before === 0) this.occupy(level);
    this.findCell(record, level);
    this.link(id, level);
  }

  detach(record: number): void {
    const { words, counts, firsts } = this;
    const level = words[record + LEVEL] as number;
    const next = words[record + LEVEL_NEXT] as number;
    const previous = words[record + LEVEL_PREVIOUS] as number;
    if (next !== NONE) words[WORDS * next + LEVEL_PREVIOUS] = previous;
    if (previous !== NONE) words[WORDS * previous + LEVEL_NEXT] = next;
    else firsts[level] = next;
    const left = (counts[level] as number) - 1;
    counts[level] = left;
    if (left === 0) this.vacate(level);
    this.unlink(record);
  }

  /** Call this after a change of an object's centre. */
  relink(id: number): void {
    const { words, cell } = this;
    const record = WORDS * id;
    const level = words[record + LEVEL] as number;
    this.findCell(record, level);
    if (
      words[record + CELL_X] === cell[0] &&
      words[record + CELL_Y] === cell[1] &&
      words[record + CELL_Z] === cell[2]
    ) {
      return;
    }
    this.unlink(record);
    this.link(id, level);
  }

  private occupy(level: number): void {
    const { occupied, ranges } = this;
    let entry = this.occupiedLevels++;
    for (; entry > 0 && (occupied[entry - 1] as number) > level; entry--) {
      occupied[entry] = occupied[entry - 1] as number;
    }
    occupied[entry] = level;
    for (let range = 6 * level; range < 6 * level + 6; range += 2) {
      ranges[range] = FARTHEST_CELL;
      ranges[range + 1] = -FARTHEST_CELL;
    }
  }

  private vacate(level: number): void {
    const { occupied } = this;
    const entry = occupied.indexOf(level);
    occupied.copyWithin(entry, entry + 1, this.occupiedLevels--);
  }

  private link(id: number, level: number): void {
    const { words, heads, cell } = this;
    const x = cell[0] as number;
    const y = cell[1] as number;
    const z = cell[2] as number;
    const bucket = (this.block(level, x, y, z) + (x & (HASH_BLOCK - 1))) & (heads.length - 1);
    const head = heads[bucket] as number;
    const record = WORDS * id;
    words[record + CELL_X] = x;
    words[record + CELL_Y] = y;
    words[record + CELL_Z] = z;
    words[record + NEXT] = head;
    words[record + PREVIOUS] = ~bucket;
    if (head !== NONE) words[WORDS * head + PREVIOUS] = id;
    heads[bucket] = id;
    this.widen(6 * level, x);
    this.widen(6 * level + 2, y);
    this.widen(6 * level + 4, z);
  }

  private widen(range: number, cell: number): void {
    const { ranges } = this;
    if (cell < (ranges[range] as number)) ranges[range] = cell;
    if (cell > (ranges[range + 1] as number)) ranges[range + 1] = cell;
  }

  private unlink(record: number): void {
    const { words, heads } = this;
    const next = words[record + NEXT] as number;
    const previous = words[record + PREVIOUS] as number;
    if (previous < 0) heads[~previous] = next;
    else words[WORDS * previous + NEXT] = next;
    if (next !== NONE) words[WORDS * next + PREVIOUS] = previous;
  }

  /**
   * Returns a hash of a block, which is HASH_BLOCK cells along x. Their buckets are consecutive and may begin anywhere.
   * If blocks began at multiples of HASH_BLOCK, objects with the same x could use only one in HASH_BLOCK buckets.
   */
  private block(level: number, x: number, y: number, z: number): number {
    let hash = Math.imul(x >> HASH_BLOCK_SHIFT, PRIMES[0]) ^ Math.imul(y, PRIMES[1]);
    hash ^= Math.imul(z, PRIMES[2]) ^ Math.imul(level, PRIMES[3]);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    return hash ^ (hash >>> 15);
  }

  private findCell(record: number, level: number): void {
    const { cell, reals } = this;
    cell[0] = this.cellAlong(0, level, reals[record + X] as number);
    cell[1] = this.cellAlong(1, level, reals[record + Y] as number);
    cell[2] = this.cellAlong(2, level, reals[record + Z] as number);
  }

  /**
   * Returns the cell of a coordinate. A higher coordinate never has a lower cell. Edges are powers of two, so rounding
   * affects only the difference to the origin, along axes that wrap.
   */
  private cellAlong(axis: number, level: number, coordinate: number): number {
    const scaled = (coordinate - (this.origins[axis] as number)) * (this.scales[level] as number);
    const low = this.lowest[axis] as number;
    const high = this.highest[LEVELS * axis + level] as number;
    return Math.floor(scaled < low ? low : scaled > high ? high : scaled);
  }

  /** Visits all objects of a level within `reach` of a position, and perhaps others of the level. */
  visitAround(
    level: number,
    x: number,
    y: number,
    z: number,
    reach: number,
    visit: (id: number) => void,
  ): void {
    const cells =
      this.spanAround(0, level, x, reach) *
      this.spanAround(1, level, y, reach) *
      this.spanAround(2, level, z, reach);
    this.visitSpans(level, cells, visit);
  }

  /** Like `visitAround`, for a box. */
  visitBetween(level: number, sides: readonly Side[], visit: (id: number) => void): void {
    let cells = sides.length === 2 ? this.writeSpan(2, 0, 0, 1, 0) : 1;
    for (let axis = 0; axis < sides.length; axis++) {
      cells *= this.spanBetween(axis, level, sides[axis] as Side);
    }
    this.visitSpans(level, cells, visit);
  }

  private spanAround(axis: number, level: number, centre: number, reach: number): number {
    const wide = reach + (this.slack[axis] as number);
    const period = this.periods[axis] as number;
    if (period === Number.POSITIVE_INFINITY) {
      const first = this.cellAlong(axis, level, centre - wide);
      return this.writeSpan(axis, first, this.cellAlong(axis, level, centre + wide), 1, 0);
    }
    const end = this.highest[LEVELS * axis + level] as number;
    const low = this.origins[axis] as number;
    const below = centre - wide < low;
    const above = centre + wide >= low + period;
    if (!below && !above) {
      const first = this.cellAlong(axis, level, centre - wide);
      return this.writeSpan(axis, first, this.cellAlong(axis, level, centre + wide), 1, 0);
    }
    // Two ranges: the cells up to `last`, and the cells from `first` on.
    const last = this.cellAlong(axis, level, above ? centre + wide - period : centre + wide);
    const first = this.cellAlong(axis, level, below ? centre - wide + period : centre - wide);
    if ((below && above) || last >= first) return this.writeSpan(axis, 0, end, 1, 0);
    return this.writeSpan(axis, 0, last, first, end);
  }

  private spanBetween(axis: number, level: number, { low, high, crosses }: Side): number {
    const first = this.cellAlong(axis, level, low);
    const last = this.cellAlong(axis, level, high);
    const begin = this.ranges[6 * level + 2 * axis] as number;
    const end = this.ranges[6 * level + 2 * axis + 1] as number;
    if (!crosses) return this.writeSpan(axis, Math.max(first, begin), Math.min(last, end), 1, 0);
    if (last >= first) return this.writeSpan(axis, begin, end, 1, 0);
    return this.writeSpan(axis, begin, Math.min(last, end), Math.max(first, begin), end);
  }

  /** Returns the number of cells in both ranges. A range that ends before it begins is empty. */
  private writeSpan(axis: number, first: number, last: number, second: number, end: number): number {
    const { spans } = this;
    const entry = 4 * axis;
    spans[entry] = first;
    spans[entry + 1] = last;
    spans[entry + 2] = second;
    spans[entry + 3] = end;
    return Math.max(0, last - first + 1) + Math.max(0, end - second + 1);
  }

  along(axis: number, level: number): CellsAlong {
    const inverseCellSize = this.scales[level] as number;
    const period = this.periods[axis] as number;
    const wraps = period !== Number.POSITIVE_INFINITY;
    return {
      cellSize: 1 / inverseCellSize,
      inverseCellSize,
      low: this.origins[axis] as number,
      zero: 0,
      first: wraps ? 0 : (this.ranges[6 * level + 2 * axis] as number),
      last: wraps
        ? (this.highest[LEVELS * axis + level] as number)
        : (this.ranges[6 * level + 2 * axis + 1] as number),
      period: wraps ? period : 0,
    };
  }

  private visitSpans(level: number, cells: number, visit: (id: number) => void): void {
    // Without this return, the loops over the other axes could be long, although one axis has no cells.
    if (cells === 0) return;
    if (cells > (this.counts[level] as number)) {
      this.visitLevel(level, visit);
      return;
    }
    const { spans } = this;
    for (let layers = 8; layers < 12; layers += 2) {
      for (let z = spans[layers] as number; z <= (spans[layers + 1] as number); z++) {
        for (let rows = 4; rows < 8; rows += 2) {
          for (let y = spans[rows] as number; y <= (spans[rows + 1] as number); y++) {
            for (let columns = 0; columns < 4; columns += 2) {
              this.visitRow(level, spans[columns] as number, spans[columns + 1] as number, y, z, visit);
            }
          }
        }
      }
    }
  }

  visitLevel(level: number, visit: (id: number) => void): void {
    const { words, firsts } = this;
    for (let id = firsts[level] as number; id !== NONE; id = words[WORDS * id + LEVEL_NEXT] as number) {
      visit(id);
    }
  }

  visitRow(
    level: number,
    first: number,
    last: number,
    y: number,
    z: number,
    visit: (id: number) => void,
  ): void {
    const { words, heads } = this;
    const mask = heads.length - 1;
    let block = 0;
    for (let x = first; x <= last; x++) {
      const column = x & (HASH_BLOCK - 1);
      if (x === first || column === 0) block = this.block(level, x, y, z);
      let id = heads[(block + column) & mask] as number;
      while (id !== NONE) {
        const record = WORDS * id;
        if (
          words[record + CELL_X] === x &&
          words[record + CELL_Y] === y &&
          words[record + CELL_Z] === z &&
          words[record + LEVEL] === level
        ) {
          visit(id);
        }
        id = words[record + NEXT] as number;
      }
    }
  }
}
