/**
 * Finds overlapping boxes by chunks. A sweep along the last axis compares the members of each chunk. Two boxes may
 * share several chunks; only the chunk with the low corner of their intersection lists the pair. Pairs depend only on
 * comparisons of corners, which do not round.
 */
import { checkDimensions, checkKnownKeys } from '../../core/base/checks';
import type { Dimensions } from '../../core/world/world';
import { lengthenPairs } from '../shared/lattice';
import { ChunkOrder } from './chunk-order';
import { BoxFinder, type Sweep } from './finder';
import { CORNERS } from './order';

/** Options of `createCpuBoxChunks`. */
export interface BoxChunksOptions {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
}

/**
 * Creates a finder of overlapping boxes that divides space into chunks of about 48 boxes. Use it if boxes lie in a few
 * clusters far apart, if long boxes fill space in 3D, or if the same boxes are searched several times. Otherwise
 * `createCpuBoxPairs` is usually faster, because it builds faster.
 *
 * @example
 * ```ts
 * const finder = createCpuBoxChunks({ dimensions: 2 });
 * finder.build(Float32Array.of(0, 0, 2, 2, 1, 1, 3, 3, 5, 5, 6, 6));
 * finder.forEachPair((first, second) => console.log(first, second));
 * ```
 */
export function createCpuBoxChunks(options: BoxChunksOptions): CpuBoxChunks {
  checkKnownKeys('options', options, ['dimensions']);
  checkDimensions(options.dimensions);
  return new CpuBoxChunks(options.dimensions);
}

/**
 * Finds the axis-aligned boxes that overlap, by chunks of space. Boxes may be of any size. Each pair is reported once.
 */
export class CpuBoxChunks extends BoxFinder<ChunkOrder> {
  /** Use createCpuBoxChunks, which checks its arguments. @hideconstructor */
  constructor(dimensions: Dimensions) {
    const order = new ChunkOrder(dimensions);
    super('CpuBoxChunks', dimensions, order, new ChunkSweep(order));
  }

  /** Number of chunks of the last build; 0 before the first build. */
  get chunks(): number {
    return this.order.chunks;
  }

  /**
   * Number of memberships: a box counts once per chunk that it reaches into. On average, a box has at most 6.25 in 2D,
   * and 15.625 in 3D.
   */
  get members(): number {
    return this.order.memberCount;
  }
}

class ChunkSweep implements Sweep {
  words = new Uint32Array(0);
  length = 0;
  private chunk = 0;
  private advice = '';

  constructor(private readonly order: ChunkOrder) {}

  begin(advice: string): void {
    this.advice = advice;
    this.chunk = 0;
    this.length = 0;
  }

  advance(): boolean {
    const { starts, chunks } = this.order;
    while (this.chunk < chunks && starts[this.chunk] === starts[this.chunk + 1]) this.chunk++;
    if (this.chunk >= chunks) return false;
    if (this.order.dimensions === 2) this.sweepPlane(this.chunk++);
    else this.sweepSpace(this.chunk++);
    return true;
  }

  private sweepPlane(chunk: number): void {
    const { starts, corners, bounds } = this.order;
    const boundX = bounds[3 * chunk] as number;
    const boundY = bounds[3 * chunk + 1] as number;
    const last = CORNERS * (starts[chunk + 1] as number);
    for (let box = CORNERS * (starts[chunk] as number); box < last; box += CORNERS) {
      const lowX = corners[box] as number;
      const highX = corners[box + 3] as number;
      const highY = corners[box + 4] as number;
      for (let other = box + CORNERS; other < last; other += CORNERS) {
        const otherY = corners[other + 1] as number;
        if (otherY > highY) break;
        const otherX = corners[other] as number;
        if (otherX > highX || (corners[other + 3] as number) < lowX) continue;
        // Members ascend along y, so the intersection begins at the low end of `other`. If it begins below this chunk,
        // another chunk lists the pair.
        if (otherY < boundY || (otherX < boundX && lowX < boundX)) continue;
        this.add(box, other);
      }
    }
  }

  private sweepSpace(chunk: number): void {
    const { starts, corners, bounds } = this.order;
    const boundX = bounds[3 * chunk] as number;
    const boundY = bounds[3 * chunk + 1] as number;
    const boundZ = bounds[3 * chunk + 2] as number;
    const last = CORNERS * (starts[chunk + 1] as number);
    for (let box = CORNERS * (starts[chunk] as number); box < last; box += CORNERS) {
      const lowX = corners[box] as number;
      const lowY = corners[box + 1] as number;
      const highX = corners[box + 3] as number;
      const highY = corners[box + 4] as number;
      const highZ = corners[box + 5] as number;
      for (let other = box + CORNERS; other < last; other += CORNERS) {
        const otherZ = corners[other + 2] as number;
        if (otherZ > highZ) break;
        const otherX = corners[other] as number;
        if (otherX > highX || (corners[other + 3] as number) < lowX) continue;
        const otherY = corners[other + 1] as number;
        if (otherY > highY || (corners[other + 4] as number) < lowY) continue;
        if (otherZ < boundZ || (otherX < boundX && lowX < boundX)) continue;
        if (otherY < boundY && lowY < boundY) continue;
        this.add(box, other);
      }
    }
  }

  private add(box: number, other: number): void {
    const { members } = this.order;
    const first = members[box / CORNERS] as number;
    const second = members[other / CORNERS] as number;
    const { length } = this;
    if (length === this.words.length) {
      this.words = lengthenPairs(this.words, length, Math.max(1024, 2 * length), this.advice);
    }
    this.words[length] = first < second ? first : second;
    this.words[length + 1] = first < second ? second : first;
    this.length = length + 2;
  }
}
