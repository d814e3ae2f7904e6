/**
 * Purpose: on which levels particles of different sizes are filed. A particle may be in the cells of its own level or
 * of any higher one: larger cells have more candidates, and each level that is in use must be looked into for all
 * particles below it. Where few are near each other, a few levels do for all.
 * Inputs: how many are on each level, and of a sample, which share a cell on each. Output: the level to file on, for
 * each level. Only speed depends on it: the pairs are the same for every choice.
 * Guarantee: the same particles give the same choice, whatever order they come in: whether one is in the sample is
 * decided by its place alone.
 */
import { MAX_LEVELS } from '../core/world';

/** Particles in the sample, about. More take longer and tell finer shares of cells apart. */
export const SAMPLE = 1024;

/** Those of one place are in it together or not at all; with more than this in it, it is not asked. */
export const MOST_SAMPLED = 4 * SAMPLE;

/** Places of the table that counts cells: half full at most. */
const TABLE = 2 * MOST_SAMPLED;

/** What looking up a row of cells takes, in tests of a candidate. */
const LOOKUP = 3;

export class Filing {
  /** Level that particles of each level are filed on. */
  readonly filed = new Uint8Array(MAX_LEVELS);
  /** Levels that anyone is filed on, ascending; so many of them. */
  readonly used = new Uint8Array(MAX_LEVELS);
  usedLevels = 0;
  /** Particles of each level. */
  readonly populations = new Float64Array(MAX_LEVELS);
  /** Of each level, the share of pairs of the sample that are in one cell. */
  private readonly shares = new Float64Array(MAX_LEVELS);
  private readonly cells = new Int32Array(TABLE);
  private readonly counts = new Uint32Array(TABLE);
  private sampled = 0;
  private together = 0;
  /** Of each level and number of levels in use above it: least cost of it and all above, and the next one in use. */
  private readonly costs = new Float64Array(MAX_LEVELS * MAX_LEVELS);
  private readonly above = new Int8Array(MAX_LEVELS * MAX_LEVELS);

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
    this.sampled++;
    let place = (hash >>> 7) & (TABLE - 1);
    while (counts[place] !== 0 && cells[place] !== hash) place = (place + 1) & (TABLE - 1);
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
        for (let next = level - 1; next >= -1; next--) {
          const share = 3 * rows * (this.shares[level] as number);
          const candidates = own * share * (own / 2 + lower);
          const cost = before + own * LOOKUP * (rows / 2 + rows * number) + candidates;
          if (next < 0 || lower === 0) {
            if (cost < best) {
              best = cost;
              bestLevel = level;
              bestNumber = number;
            }
            break;
          }
          if ((populations[next] as number) === 0) continue;
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

  private highestOccupied(levels: number): number {
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
