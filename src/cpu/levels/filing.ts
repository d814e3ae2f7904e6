/**
 * Purpose: on which levels particles of different sizes are filed. A particle may be in the cells of its own level or
 * of any higher one: larger cells have more candidates, and each level that is in use must be looked into for all
 * particles below it. Where few are near each other, a few levels do for all.
 * Inputs: how many are on each level, and of a sample, which share a cell on each. Output: the level to file on, for
 * each level. Only speed depends on it: the pairs are the same for every choice.
 * Guarantee: the same particles give the same choice, whatever order they come in: whether one is in the sample is
 * decided by its place alone.
 */
import { MAX_LEVELS } from '../../core/world/world';

/**
 * Particles in the sample of so many, about: where cells hold half a particle on average, several of its pairs are in
 * one cell. More take longer and tell finer shares apart.
 */
export function sampleSize(count: number): number {
  return Math.ceil(4 * Math.sqrt(count));
}

/** Those of one place are in the sample together or not at all; one so many times too large is not asked. */
export const LARGEST_SAMPLE = 4;

/** What looking up a row of cells takes, and a cell of the table, in tests of a candidate. */
const LOOKUP = 3;
const CELL = 0.2;
/** How many times as long looking up takes where cells share buckets. */
const HASHED = 8;
/** Share of the table that one level may take for all in use, each with a fourth of the cells below, to fit. */
const MOST_ROOM = 0.7;

export class Filing {
  /** Level that particles of each level are filed on. */
  readonly filed = new Uint8Array(MAX_LEVELS);
  /** Levels that anyone is filed on, ascending; so many of them. */
  readonly used = new Uint8Array(MAX_LEVELS);
  usedLevels = 0;
  /** Particles of each level. */
  readonly populations = new Float64Array(MAX_LEVELS);
  /** Of each level, the buckets that its cells would take. */
  readonly buckets = new Float64Array(MAX_LEVELS);
  /** Of each level, the share of pairs of the sample that are in one cell. */
  private readonly shares = new Float64Array(MAX_LEVELS);
  /** A table that counts cells, half full at most. */
  private readonly cells: Int32Array;
  private readonly counts: Uint32Array;
  private sampled = 0;
  private together = 0;
  /** Of each level and number of levels in use above it: least cost of it and all above, and the next one in use. */
  private readonly costs = new Float64Array(MAX_LEVELS * MAX_LEVELS);
  private readonly above = new Int8Array(MAX_LEVELS * MAX_LEVELS);

  /** `room`: buckets for cells that have their own. */
  constructor(
    capacity: number,
    private readonly room: number,
  ) {
    const places = 2 ** Math.ceil(Math.log2(2 * LARGEST_SAMPLE * sampleSize(capacity) + 2));
    this.cells = new Int32Array(places);
    this.counts = new Uint32Array(places);
  }

  get memoryBytes(): number {
    const arrays = Object.values(this).filter(ArrayBuffer.isView);
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  /** Before the cells of the sample on a level are told. */
  beginLevel(): void {
    this.counts.fill(0);
    this.sampled = 0;
    this.together = 0;
  }

  /** The cell of a particle of the sample, as a hash. */
  addCell(hash: number): void {
    const { cells, counts } = this;
    const mask = cells.length - 1;
    this.sampled++;
    let place = (hash >>> 7) & mask;
    while (counts[place] !== 0 && cells[place] !== hash) place = (place + 1) & mask;
    const count = counts[place] as number;
    cells[place] = hash;
    counts[place] = count + 1;
    this.together += count;
  }

  endLevel(level: number): void {
    const { sampled } = this;
    // Of one particle nothing can be said: as if all were in one cell, so that each level keeps its own.
    this.shares[level] = sampled < 2 ? 1 : this.together / ((sampled * (sampled - 1)) / 2);
  }

  /** Decides, by the least sum of what all choices of levels cost. */
  decide(dimensions: 2 | 3, levels: number): void {
    const { populations, filed, used, costs, above } = this;
    const rows = dimensions === 2 ? 3 : 9;
    const top = this.highestOccupied(levels);
    const mostBuckets = MOST_ROOM * this.room;
    this.usedLevels = 0;
    if (top < 0) return;
    // A choice is a chain of levels from the highest downwards; `number` counts those above.
    let best = Number.POSITIVE_INFINITY;
    let bestLevel = top;
    let bestNumber = 0;
    costs.fill(Number.POSITIVE_INFINITY);
    costs[top * MAX_LEVELS] = 0;
    for (let level = top; level >= 0; level--) {
      for (let number = 0; number <= top - level; number++) {
        const before = costs[level * MAX_LEVELS + number] as number;
        if (before === Number.POSITIVE_INFINITY) continue;
        // Those of this level and of the lower ones, down to `next`, the next level in use.
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
          const place = next * MAX_LEVELS + number + 1;
          if (cost < (costs[place] as number)) {
            costs[place] = cost;
            above[place] = level;
          }
          own += populations[next] as number;
          lower -= populations[next] as number;
        }
      }
    }
    let low = 0;
    for (let level = bestLevel, number = bestNumber; ; number--) {
      used[this.usedLevels++] = level;
      filed.fill(level, low, level + 1);
      if (level === top) break;
      low = level + 1;
      level = above[level * MAX_LEVELS + number] as number;
    }
  }

  /** The highest level that anyone is on, or −1. */
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
