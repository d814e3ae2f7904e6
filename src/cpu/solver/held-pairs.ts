/**
 * The search for pairs of a simulation with one radius, for several substeps at once. It sorts the particles and lists
 * the pairs nearer than REACH diameters. Order and list stay valid until two particles may have come nearer to each
 * other by more than REACH − 1 diameters. Until then, each pass goes through the list and skips the pairs that do not
 * overlap.
 * Guarantee: the order of particles, the listed pairs and the substeps that make a list depend on the particles alone.
 * Ordering: pairs come by their lower slot, then by their higher slot.
 */
import { ArgumentError } from '../../core/base/errors';
import type { BroadPhase } from '../../core/contact/settings';
import { type Dimensions, defineWorld, type World } from '../../core/world/world';
import { CellOrder } from '../equal/order';
import { PairSearch } from '../equal/search';
import type { ParticleState } from '../shared/kernels';
import { defineLattice, type Lattice } from '../shared/lattice';
import { floatsIn, type Memory, OWN_MEMORY } from '../shared/memory';
import { minimumImage } from './general-contact';
import type { HeldSearch, PairPortions } from './neighbours';

/** Listed pairs are nearer than this, in diameters. In dense packings of discs, few pairs are 1.1 to 1.6 apart. */
const REACH: Readonly<Record<Dimensions, number>> = { 2: 1.5, 3: 1.15 };

/** Room for listed pairs per particle. In the densest packing, there are 3 per particle (3D: 6). */
export const PAIRS_EACH: Readonly<Record<Dimensions, number>> = { 2: 4, 3: 8 };

/** Lists that last for fewer substeps cost more time than they save. */
export const LEAST_SUBSTEPS = 2;

/** This factor exceeds the effect of rounding on distances. */
const SLACK = 1 + 2 ** -20;

export class HeldPairs implements HeldSearch {
  readonly order: CellOrder;
  readonly pairs: PairSearch;
  private readonly list: ListedPairs;
  /** The sorted positions from which the list was made. */
  readonly origins: Float32Array;
  /** The distance by which two particles may come nearer to each other while the list is valid. */
  private readonly margin: number;
  private isMade = false;
  /**
   * False if there is no list, for example because the pairs do not fit. Then searches find them anew, and the next
   * substep must sort.
   */
  private isListed = false;

  private constructor(
    private readonly diameter: number,
    world: World,
    capacity: number,
    words: Uint32Array,
    memory: Memory,
  ) {
    const { dimensions } = world;
    const lattice = defineLattice(world);
    this.order = new CellOrder(lattice, capacity, memory);
    this.pairs = new PairSearch(this.order, world.diameter, capacity, words);
    // The search stops only after it has written all pairs of a particle.
    this.list = new ListedPairs(lattice, new Uint32Array(2 * (PAIRS_EACH[dimensions] + 1) * capacity + 2));
    this.origins = floatsIn(memory, dimensions * capacity);
    this.margin = world.diameter - diameter;
  }

  /**
   * `words` is memory for a portion of pairs, shared with another search. Returns undefined if the world cannot have
   * wider cells, for example because a period is too short.
   */
  static create(
    world: World,
    capacity: number,
    words: Uint32Array,
    memory: Memory = OWN_MEMORY,
  ): HeldPairs | undefined {
    const { kind, dimensions, diameter, min, max, period, cellSize } = world;
    const reach = Math.fround(REACH[dimensions] * diameter);
    const options = {
      dimensions,
      ...(kind === 'unbounded'
        ? { unbounded: true }
        : { min, max, periodic: period.map((length) => length > 0) }),
      cellSize: Math.max(reach, cellSize),
    };
    try {
      return new HeldPairs(diameter, defineWorld(options, reach, capacity), capacity, words, memory);
    } catch (error) {
      if (error instanceof ArgumentError) return undefined;
      throw error;
    }
  }

  get source(): Uint32Array {
    return this.order.source;
  }

  get activeCount(): number {
    return this.order.activeCount;
  }

  /** Listed pairs are nearer than this. */
  get reach(): number {
    return this.diameter + this.margin;
  }

  /** The greatest number of words that the list may take. */
  get most(): number {
    return 2 * PAIRS_EACH[this.order.lattice.dimensions] * this.order.activeCount;
  }

  get memoryBytes(): number {
    const { order, list, origins } = this;
    return order.memoryBytes + list.task.words.byteLength + origins.byteLength;
  }

  sort(state: ParticleState, count: number, target: ParticleState): void {
    this.order.sort(state.positions, state.positionWords, count, target.positionWords, state.ids);
    this.origins.set(target.positions.subarray(0, this.order.lattice.dimensions * count));
    this.isMade = false;
  }

  isValid({ positions }: ParticleState): boolean {
    const { order, origins } = this;
    const { dimensions, periods } = order.lattice;
    if (!this.isListed) return false;
    return this.isWithinMargin(widestRange(dimensions, order.activeCount, positions, origins, periods));
  }

  /** `range`: a bound on how far two particles have moved relative to each other since the sort. */
  isWithinMargin(range: number): boolean {
    return SLACK * range <= this.margin;
  }

  /** Call this if another list replaces this one. */
  forget(): void {
    this.isListed = false;
    this.isMade = false;
  }

  search(state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): PairPortions {
    const { pairs, list, diameter } = this;
    const { task } = pairs;
    if (!this.isMade) {
      task.diameter = this.reach;
      pairs.begin(state.positions, labels, broadPhase);
      this.isListed = pairs.collectAtMost(list.task.words, this.most);
      this.isMade = true;
      list.task.length = task.length;
      task.diameter = diameter;
    }
    if (this.isListed) return list.begin();
    pairs.begin(state.positions, labels, broadPhase);
    return pairs;
  }
}

/** A list of pairs as a search with one portion. */
class ListedPairs implements PairPortions {
  readonly task: { lattice: Lattice; words: Uint32Array; length: number };
  private isRead = false;

  constructor(lattice: Lattice, words: Uint32Array) {
    this.task = { lattice, words, length: 0 };
  }

  begin(): this {
    this.isRead = false;
    return this;
  }

  advance(): boolean {
    const isFirst = !this.isRead;
    this.isRead = true;
    return isFirst;
  }
}

/**
 * Returns a bound on the difference of any two of the vectors `values` − `origins`. If a value is not finite, the
 * result is not finite either.
 */
function widestRange(
  dimensions: Dimensions,
  count: number,
  values: Float32Array,
  origins: Float32Array,
  periods: readonly number[],
): number {
  if (count === 0) return 0;
  const ranges = new Float64Array(2 * dimensions);
  findRanges(dimensions, 0, count, values, origins, periods, ranges, 0);
  return widestOf(dimensions, ranges, 1);
}

/**
 * Writes the least and the greatest of `values` − `origins` along each axis to `ranges`, from index `at` on, over the
 * slots from `begin` up to `end`. Along an axis with a NaN, both are NaN.
 */
export function findRanges(
  dimensions: Dimensions,
  begin: number,
  end: number,
  values: Float32Array,
  origins: Float32Array,
  periods: readonly number[],
  ranges: Float64Array,
  at: number,
): void {
  for (let axis = 0; axis < dimensions; axis++) {
    const period = periods[axis] as number;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let word = dimensions * begin + axis; word < dimensions * end; word += dimensions) {
      const direct = (values[word] as number) - (origins[word] as number);
      const value = period < Number.POSITIVE_INFINITY ? minimumImage(direct, period) : direct;
      // Most values lie between the least and the greatest so far.
      if (value >= low && value <= high) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
      if (Number.isNaN(value)) break;
    }
    ranges[at + 2 * axis] = low;
    ranges[at + 2 * axis + 1] = high;
  }
}

/** Returns the bound that `count` results of findRanges give together. */
export function widestOf(dimensions: Dimensions, ranges: Float64Array, count: number): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let at = 2 * axis; at < 2 * dimensions * count; at += 2 * dimensions) {
      low = Math.min(low, ranges[at] as number);
      high = Math.max(high, ranges[at + 1] as number);
    }
    squared += (high - low) ** 2;
  }
  return Math.sqrt(squared);
}
