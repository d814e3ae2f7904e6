/**
 * The cells of particles with variable radii, and the bucket of each cell; see src/core/world/levels.ts. Positions are
 * scaled in doubles. Along axes that do not wrap, the scale is a power of two, so scaling is exact.
 * Guarantee: if two particles are closer than the edge of a level's cells, their cells on that level are the same or
 * adjacent.
 *
 * The table is dense if it has enough buckets for the cells of all levels in use. Each cell then has its own bucket:
 * levels ascend, x changes fastest, and each level has a ring of empty cells. Otherwise a hash of level and cell gives
 * the bucket, and cells may share one.
 */
import { FARTHEST_CELL, HASH_BLOCK, HASH_BLOCK_SHIFT } from '../../core/base/constants';
import { MAX_LEVELS, type World } from '../../core/world/world';
import type { Side } from '../equal/box';
import type { CellsAlong } from '../shared/ray-walk';

export class LevelCells {
  isDense = false;
  buckets = 0;
  /**
   * The next five arrays describe each level in use of a dense table:
   * - `firsts` and `lasts`: the first and the last cell along each axis, ring included;
   * - `offsets`: the bucket of the first cell;
   * - `rowStrides` and `layerStrides`: the buckets from a row or layer to the next.
   */
  readonly firsts = new Int32Array(3 * MAX_LEVELS);
  readonly lasts = new Int32Array(3 * MAX_LEVELS);
  readonly offsets = new Int32Array(MAX_LEVELS);
  readonly rowStrides = new Int32Array(MAX_LEVELS);
  readonly layerStrides = new Int32Array(MAX_LEVELS);
  /** Cells per unit of length along axes that do not wrap. */
  readonly straightScales = new Float64Array(MAX_LEVELS);
  private readonly origins = new Float64Array(3);
  private readonly scales = new Float64Array(3);
  private readonly lowest = new Float64Array(3);
  private readonly highest = new Float64Array(3);
  /** Number of cells on the lowest level; 0 along axes that do not wrap. */
  private readonly counts = new Int32Array(3);
  private readonly periods: readonly number[];

  /** `hashedBuckets`, the buckets of a hashed table, is a power of two. */
  constructor(
    private readonly world: World,
    private readonly hashedBuckets: number,
  ) {
    const { dimensions, period, min, cells, baseDiameter } = world;
    this.periods = period;
    this.straightScales.forEach((_, level) => {
      this.straightScales[level] = 1 / baseDiameter / 2 ** level;
    });
    for (let axis = 0; axis < dimensions; axis++) {
      const wraps = (period[axis] as number) > 0;
      this.origins[axis] = wraps ? (min[axis] as number) : 0;
      this.scales[axis] = wraps ? world.inverseCellSize : 1 / baseDiameter;
      this.counts[axis] = wraps ? (cells[axis] as number) : 0;
      this.lowest[axis] = wraps ? 0 : -FARTHEST_CELL;
      this.highest[axis] = wraps ? (cells[axis] as number) - 1 : FARTHEST_CELL;
    }
  }

  get memoryBytes(): number {
    const arrays = Object.values(this).filter(ArrayBuffer.isView);
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  at(position: number, axis: number, level: number): number {
    const scaled = (position - (this.origins[axis] as number)) * (this.scales[axis] as number);
    const low = this.lowest[axis] as number;
    const high = this.highest[axis] as number;
    const finest = Math.floor(scaled < low ? low : scaled > high ? high : scaled);
    const count = this.counts[axis] as number;
    // The last cell of an axis includes the rest of the period.
    return count === 0 ? finest >> level : Math.min(finest >> level, (count >> level) - 1);
  }

  /** Wraps the coordinate of a cell that is at most one beyond an end of the world. */
  wrapCell(coordinate: number, axis: number, level: number): number {
    const count = (this.counts[axis] as number) >> level;
    if (count === 0) return coordinate;
    return coordinate < 0 ? coordinate + count : coordinate >= count ? coordinate - count : coordinate;
  }

  /** Returns how many buckets the cells between two corners need, ring included; Infinity if a cell is clamped. */
  spread(low: Float64Array, high: Float64Array, level: number): number {
    let cells = 1;
    for (let axis = 0; axis < this.world.dimensions; axis++) {
      const first = this.firstCell(low, axis, 0);
      const last = this.lastCell(high, axis, 0);
      const isClamped = first === -FARTHEST_CELL || last === FARTHEST_CELL;
      cells *= isClamped ? Number.POSITIVE_INFINITY : (last >> level) - (first >> level) + 3;
    }
    return cells;
  }

  assign(low: Float64Array, high: Float64Array, levels: Uint8Array, length: number, room: number): void {
    const { firsts, offsets, rowStrides, layerStrides, world } = this;
    let buckets = 0;
    for (let index = 0; index < length; index++) buckets += this.spread(low, high, levels[index] as number);
    this.isDense = buckets <= room;
    this.buckets = this.isDense ? buckets : this.hashedBuckets;
    if (!this.isDense) return;
    let next = 0;
    for (let index = 0; index < length; index++) {
      const level = levels[index] as number;
      for (let axis = 0; axis < world.dimensions; axis++) {
        firsts[3 * level + axis] = this.firstCell(low, axis, level) - 1;
        this.lasts[3 * level + axis] = this.lastCell(high, axis, level) + 1;
      }
      offsets[level] = next;
      rowStrides[level] = this.cellsBetween(level, 0);
      layerStrides[level] = (rowStrides[level] as number) * this.cellsBetween(level, 1);
      next += this.spread(low, high, level);
    }
  }

  /** Clips ranges to the cells that have buckets, on a level in use. A range that ends before it begins is empty. */
  clip(part: number[], axis: number, level: number): number[] {
    if (!this.isDense) return part;
    const first = this.firsts[3 * level + axis] as number;
    const last = this.lasts[3 * level + axis] as number;
    return part.map((cell, index) => (index % 2 === 0 ? Math.max(cell, first) : Math.min(cell, last)));
  }

  private cellsBetween(level: number, axis: number): number {
    return (this.lasts[3 * level + axis] as number) - (this.firsts[3 * level + axis] as number) + 1;
  }

  /** Returns the first cell inside the ring; 0 along an axis that wraps, because neighbours may be across the end. */
  private firstCell(low: Float64Array, axis: number, level: number): number {
    return this.counts[axis] === 0 ? this.at(low[axis] as number, axis, level) : 0;
  }

  private lastCell(high: Float64Array, axis: number, level: number): number {
    const count = this.counts[axis] as number;
    return count === 0 ? this.at(high[axis] as number, axis, level) : Math.max(0, (count >> level) - 1);
  }

  bucket(x: number, y: number, z: number, level: number): number {
    if (this.isDense) {
      return (
        (this.offsets[level] as number) +
        x -
        (this.firsts[3 * level] as number) +
        (y - (this.firsts[3 * level + 1] as number)) * (this.rowStrides[level] as number) +
        (z - (this.firsts[3 * level + 2] as number)) * (this.layerStrides[level] as number)
      );
    }
    let hash = Math.imul(level, 0x9e3779b9) ^ Math.imul(x >> HASH_BLOCK_SHIFT, 0x8da6b343);
    hash ^= Math.imul(y, 0xd8163841) ^ Math.imul(z, 0xcb1ab31f);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    hash ^= hash >>> 15;
    return (Math.imul(hash, HASH_BLOCK) & (this.hashedBuckets - 1)) + (x & (HASH_BLOCK - 1));
  }

  /** From `x` up to the returned coordinate, the cells of a row have consecutive buckets. */
  lastTogether(x: number): number {
    return this.isDense ? FARTHEST_CELL : x | (HASH_BLOCK - 1);
  }

  /** Returns the cells within `radius` of a position, and one more on each side, as the ends of one or two ranges. */
  within(position: number, radius: number, axis: number, level: number): number[] {
    const count = (this.counts[axis] as number) >> level;
    if (count === 0) {
      return [this.at(position - radius, axis, level) - 1, this.at(position + radius, axis, level) + 1];
    }
    const low = this.origins[axis] as number;
    const period = this.periods[axis] as number;
    const below = position - radius < low;
    const above = position + radius >= low + period;
    const cellAt = (inside: number) => this.at(inside, axis, level);
    // Numbers below 0 and from `count` on stand for cells across an end.
    const first = (below ? cellAt(position - radius + period) - count : cellAt(position - radius)) - 1;
    const last = (above ? cellAt(position + radius - period) + count : cellAt(position + radius)) + 1;
    if (last - first + 1 >= count) return [0, count - 1];
    if (first < 0) return [0, last, first + count, count - 1];
    return last >= count ? [0, last - count, first, count - 1] : [first, last];
  }

  /** Returns the cells of a side of a box, as the ends of one or two ranges. */
  between({ low, high, crosses }: Side, axis: number, level: number): number[] {
    const first = this.at(low, axis, level);
    const last = this.at(high, axis, level);
    if (!crosses) return [first, last];
    const end = ((this.counts[axis] as number) >> level) - 1;
    return last >= first ? [0, end] : [0, last, first, end];
  }

  along(axis: number, level: number): CellsAlong {
    const count = (this.counts[axis] as number) >> level;
    const inverseCellSize = (this.scales[axis] as number) / 2 ** level;
    const all = count > 0 ? [0, count - 1] : [-FARTHEST_CELL >> level, FARTHEST_CELL >> level];
    const [first, last] = this.clip(all, axis, level) as [number, number];
    const [low, period] = [this.origins[axis] as number, this.periods[axis] as number];
    return { cellSize: 1 / inverseCellSize, inverseCellSize, low, zero: 0, first, last, period };
  }

  greatestRadius(level: number): number {
    return Math.min(this.world.baseDiameter * 2 ** level, this.world.diameter) / 2;
  }
}

/** Returns the planned size of the sample of LevelChoice. */
export function sampleSize(count: number): number {
  return Math.ceil(4 * Math.sqrt(count));
}

/**
 * A sample of more than this many times the planned size is not used. A sample may be that large, because coincident
 * particles are sampled all together or not at all.
 */
export const LARGEST_SAMPLE = 4;

/** Costs, where the test of a candidate costs 1: LOOKUP per lookup of a row of cells, CELL per cell of the table. */
const LOOKUP = 3;
const CELL = 0.2;
/** Factor on the cost of a lookup if cells share buckets. */
const HASHED = 8;
/**
 * If a level needs more than this share of the table, its cost is that of a hashed table. If the lowest level in use
 * needs less, all levels usually fit, because each has at most about a fourth of the cells of the level below. Long
 * thin worlds are an exception; LevelCells.assign decides.
 */
const MOST_ROOM = 0.7;

/**
 * Chooses the levels that particles with variable radii are assigned to. A particle may be assigned to its own level or
 * to any higher one. Larger cells have more candidates, but each level in use must be searched for all particles of
 * lower levels.
 * Guarantee: the choice does not depend on the order of the particles, because a hash of each position decides whether
 * the particle is in the sample.
 */
export class LevelChoice {
  readonly assignedLevels = new Uint8Array(MAX_LEVELS);
  /** The levels in use, ascending: the first `usedLevels` entries. */
  readonly used = new Uint8Array(MAX_LEVELS);
  usedLevels = 0;
  /** Number of particles per level, by their own radii. */
  readonly populations = new Float64Array(MAX_LEVELS);
  /** Buckets that each level would need in a dense table. */
  readonly buckets = new Float64Array(MAX_LEVELS);
  /** Per level: of all pairs of sampled particles, the share whose two particles are in the same cell. */
  private readonly shares = new Float64Array(MAX_LEVELS);
  /** A hash table from cells to counts of sampled particles, at most half full. */
  private readonly cells: Int32Array;
  private readonly counts: Uint32Array;
  private sampled = 0;
  private together = 0;
  /**
   * Entry `level · MAX_LEVELS + number`, for a level with `number` levels in use above it: `costs` is the least total
   * cost of these higher levels, `above` the lowest of them.
   */
  private readonly costs = new Float64Array(MAX_LEVELS * MAX_LEVELS);
  private readonly above = new Int8Array(MAX_LEVELS * MAX_LEVELS);

  /** `room` counts the buckets of the table. */
  constructor(
    capacity: number,
    private readonly room: number,
  ) {
    const length = 2 ** Math.ceil(Math.log2(2 * LARGEST_SAMPLE * sampleSize(capacity) + 2));
    this.cells = new Int32Array(length);
    this.counts = new Uint32Array(length);
  }

  get memoryBytes(): number {
    const arrays = Object.values(this).filter(ArrayBuffer.isView);
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  /** After this, call addCell for each particle of the sample, then endLevel. */
  beginLevel(): void {
    this.counts.fill(0);
    this.sampled = 0;
    this.together = 0;
  }

  addCell(hash: number): void {
    const { cells, counts } = this;
    const mask = cells.length - 1;
    this.sampled++;
    let entry = (hash >>> 7) & mask;
    while (counts[entry] !== 0 && cells[entry] !== hash) entry = (entry + 1) & mask;
    const count = counts[entry] as number;
    cells[entry] = hash;
    counts[entry] = count + 1;
    this.together += count;
  }

  endLevel(level: number): void {
    const { sampled } = this;
    // Fewer than two particles have no pairs. A share of 1 then puts all particles on the highest occupied level.
    this.shares[level] = sampled < 2 ? 1 : this.together / ((sampled * (sampled - 1)) / 2);
  }

  decide(dimensions: 2 | 3, levels: number): void {
    const { populations, assignedLevels, used, costs, above } = this;
    const rows = dimensions === 2 ? 3 : 9;
    const top = this.highestOccupied(levels);
    const mostBuckets = MOST_ROOM * this.room;
    this.usedLevels = 0;
    if (top < 0) return;
    // A choice is a chain of levels, from the highest occupied one down. `number` counts its levels above `level`.
    let best = Number.POSITIVE_INFINITY;
    let bestLevel = top;
    let bestNumber = 0;
    costs.fill(Number.POSITIVE_INFINITY);
    costs[top * MAX_LEVELS] = 0;
    for (let level = top; level >= 0; level--) {
      for (let number = 0; number <= top - level; number++) {
        const before = costs[level * MAX_LEVELS + number] as number;
        if (before === Number.POSITIVE_INFINITY) continue;
        // `next` is the next lower level in use. `own` counts the particles that `level` takes: its own and those of
        // the levels between `next` and `level`. `lower` counts the particles of `next` and of all levels below.
        let own = populations[level] as number;
        let lower = this.populationBelow(level);
        const buckets = this.buckets[level] as number;
        const lookup = buckets > mostBuckets ? HASHED * LOOKUP : LOOKUP;
        const cells = CELL * Math.min(buckets, mostBuckets);
        for (let next = level - 1; next >= -1; next--) {
          const share = 3 * rows * (this.shares[level] as number);
          const candidates = own * share * (own / 2 + lower);
          const cost = before + own * lookup * (rows / 2 + rows * number) + candidates + cells;
          if (next < 0 || lower === 0) {
            if (cost < best) {
              best = cost;
              bestLevel = level;
              bestNumber = number;
            }
            break;
          }
          const entry = next * MAX_LEVELS + number + 1;
          if (cost < (costs[entry] as number)) {
            costs[entry] = cost;
            above[entry] = level;
          }
          own += populations[next] as number;
          lower -= populations[next] as number;
        }
      }
    }
    let low = 0;
    for (let level = bestLevel, number = bestNumber; ; number--) {
      used[this.usedLevels++] = level;
      assignedLevels.fill(level, low, level + 1);
      if (level === top) break;
      low = level + 1;
      level = above[level * MAX_LEVELS + number] as number;
    }
  }

  highestOccupied(levels: number): number {
    let top = levels - 1;
    while (top >= 0 && this.populations[top] === 0) top--;
    return top;
  }

  private populationBelow(level: number): number {
    let sum = 0;
    for (let lower = 0; lower < level; lower++) sum += this.populations[lower] as number;
    return sum;
  }
}
