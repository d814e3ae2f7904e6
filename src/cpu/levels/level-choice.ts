/**
 * Chooses the levels that particles with variable radii are assigned to: their own or higher ones. Larger cells have
 * more candidates, but each level in use must be searched for all particles below it. The choice changes only speed.
 * Guarantee: the choice does not depend on the order of the particles. Positions alone decide which are in the sample.
 */
import { MAX_LEVELS } from '../../core/world/world';

/** A larger sample would be slower but more precise. */
export function sampleSize(count: number): number {
  return Math.ceil(4 * Math.sqrt(count));
}

/**
 * Samples larger than this multiple of the planned size are not used. Samples may be larger than planned, because
 * coincident particles are sampled all together or not at all.
 */
export const LARGEST_SAMPLE = 4;

/** Costs in candidate tests: LOOKUP per row of cells that is looked up, CELL per cell of the table. */
const LOOKUP = 3;
const CELL = 0.2;
/** If cells share buckets. */
const HASHED = 8;
/**
 * A level that needs more than this share of the table costs as much as a hashed one. Each higher level has at most
 * about a fourth of the cells of the level below. So if the lowest level in use needs no more, all levels in use fit.
 */
const MOST_ROOM = 0.7;

export class LevelChoice {
  /** Per level, the level that its particles are assigned to. */
  readonly assignedLevels = new Uint8Array(MAX_LEVELS);
  /** Ascending: the first `usedLevels` entries. */
  readonly used = new Uint8Array(MAX_LEVELS);
  usedLevels = 0;
  /** Particles per level, by their own radii. */
  readonly populations = new Float64Array(MAX_LEVELS);
  /** Buckets that each level would need in a dense table. */
  readonly buckets = new Float64Array(MAX_LEVELS);
  /** Per level, the share of the sample's pairs that are in one cell. */
  private readonly shares = new Float64Array(MAX_LEVELS);
  /** A hash table from cells to numbers of sampled particles, at most half full. */
  private readonly cells: Int32Array;
  private readonly counts: Uint32Array;
  private sampled = 0;
  private together = 0;
  /**
   * Entry `level · MAX_LEVELS + number` is for a level with `number` levels in use above it: their least cost, and the
   * lowest of them.
   */
  private readonly costs = new Float64Array(MAX_LEVELS * MAX_LEVELS);
  private readonly above = new Int8Array(MAX_LEVELS * MAX_LEVELS);

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

  /** Call addCell for each particle of the sample, then endLevel. */
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
    // Fewer than two particles have no pairs. A share of 1 then keeps all levels in use.
    this.shares[level] = sampled < 2 ? 1 : this.together / ((sampled * (sampled - 1)) / 2);
  }

  decide(dimensions: 2 | 3, levels: number): void {
    const { populations, assignedLevels, used, costs, above } = this;
    const rows = dimensions === 2 ? 3 : 9;
    const top = this.highestOccupied(levels);
    const mostBuckets = MOST_ROOM * this.room;
    this.usedLevels = 0;
    if (top < 0) return;
    // A choice is a chain of levels, from the highest occupied one downwards. `number` counts its levels above `level`.
    let best = Number.POSITIVE_INFINITY;
    let bestLevel = top;
    let bestNumber = 0;
    costs.fill(Number.POSITIVE_INFINITY);
    costs[top * MAX_LEVELS] = 0;
    for (let level = top; level >= 0; level--) {
      for (let number = 0; number <= top - level; number++) {
        const before = costs[level * MAX_LEVELS + number] as number;
        if (before === Number.POSITIVE_INFINITY) continue;
        // `next`: the next lower level in use. `own`: particles that `level` takes, its own and those of levels
        // between. `lower`: particles of `next` and below.
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

  /** −1 without particles. */
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
