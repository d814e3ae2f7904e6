/**
 * Finds each overlapping pair of particles once, in portions that fit a reused buffer. Ordering: pairs come by their
 * lower slot, then by their higher slot.
 */
import type { BroadPhase } from '../../core/contact/settings';
import type { Kernels, PairTask } from '../shared/kernels';
import { type Lattice, lengthenPairs, makeRoom } from '../shared/lattice';
import type { CellOrder } from './order';
import { kernelsFor } from './variants';

/** A portion ends once it has more words than this: few enough for the second-level cache. */
const PORTION = 2 ** 15;

type Portion = Pick<PairTask, 'activeCount' | 'words' | 'length' | 'next'>;

export abstract class PortionedSearch<Task extends Portion> {
  abstract readonly task: Task;

  protected abstract collect(stop: number): void;

  /** Returns the most words that the pairs of one slot take, plus two: a pair is written before it is tested. */
  protected abstract roomForOne(): number;

  get memoryBytes(): number {
    return this.task.words.byteLength;
  }

  /** Writes the next portion of pairs to `task.words`. Returns false if there are no more pairs. */
  advance(): boolean {
    const { task } = this;
    task.length = 0;
    while (task.length === 0 && task.next < task.activeCount) this.collect(PORTION);
    return task.length > 0;
  }

  /** Writes all pairs to `words`, or to a longer array if they do not fit. Returns the array used. */
  collectInto(words: Uint32Array): Uint32Array {
    const { task } = this;
    const own = task.words;
    const room = this.roomForOne();
    task.words = words;
    try {
      while (task.next < task.activeCount) {
        if (task.words.length < task.length + room) {
          task.words = lengthenPairs(task.words, task.length, 2 * task.words.length + room);
        }
        this.collect(task.words.length - room);
      }
      return task.words;
    } finally {
      task.words = own;
    }
  }
}

/** Returns a buffer for a portion, with extra room: a portion ends only after all pairs of a particle. */
export function portionWords(capacity: number): Uint32Array {
  return new Uint32Array(PORTION + 2 * capacity + 2);
}

type SearchTask = PairTask & { activeCount: number; positions: Float32Array; labels: Uint32Array };

export class PairSearch extends PortionedSearch<SearchTask> {
  readonly task: SearchTask;
  private readonly kernels: Kernels;
  private broadPhase: BroadPhase = 'grid';

  constructor(
    private readonly order: CellOrder,
    diameter: number,
    capacity: number,
    words = portionWords(capacity),
  ) {
    super();
    this.kernels = kernelsFor(order.lattice);
    this.task = {
      lattice: order.lattice,
      keys: order.keys,
      activeCount: 0,
      positions: new Float32Array(0),
      labels: new Uint32Array(0),
      diameter,
      starts: order.starts,
      coordinates: order.coordinates,
      words,
      length: 0,
      next: 0,
    };
  }

  begin(positions: Float32Array, labels: Uint32Array, broadPhase: BroadPhase = 'grid'): void {
    const { task, order } = this;
    task.activeCount = order.activeCount;
    task.positions = positions;
    task.labels = labels;
    task.next = 0;
    task.length = 0;
    this.broadPhase = broadPhase;
  }

  /** Writes all pairs to `words`. Returns false if they take more than `most` words; then some may be missing. */
  collectAtMost(words: Uint32Array, most: number): boolean {
    const { task } = this;
    const own = task.words;
    task.words = words;
    while (task.next < task.activeCount && task.length <= most) this.collect(most);
    task.words = own;
    return task.length <= most;
  }

  /**
   * Writes the pairs of the slots from `begin` up to `end` to `task.words`, which grows. Stops after more than `most`
   * words. Call the method `begin` first.
   */
  collectRange(begin: number, end: number, most: number): void {
    const { task } = this;
    const room = this.roomForOne();
    task.next = begin;
    task.length = 0;
    while (task.next < end && task.length <= most) {
      if (task.words.length < task.length + room) {
        task.words = lengthenPairs(task.words, task.length, 2 * task.words.length + room);
      }
      this.kernels.collect(task, task.words.length - room, end);
    }
  }

  /** Returns the number of words that the pairs of the slots from `begin` up to `end` take. */
  countRange(begin: number, end: number): number {
    const { task } = this;
    let length = 0;
    for (task.next = begin; task.next < end; length += task.length) {
      task.length = 0;
      this.kernels.collect(task, PORTION, end);
    }
    return length;
  }

  protected roomForOne(): number {
    const { activeCount, fullestRow, lattice } = this.order;
    const candidates = mostRowsAhead(lattice) * fullestRow;
    return 2 * (this.broadPhase === 'naive' ? activeCount : Math.min(activeCount, candidates)) + 2;
  }

  protected collect(stop: number): void {
    if (this.broadPhase === 'grid') this.kernels.collect(this.task, stop, this.task.activeCount);
    else this.kernels.collectAll(this.task, stop);
  }
}

/**
 * Returns the greatest number of rows near a slot that may hold higher slots. In bounded worlds, these are its own row
 * and the rows ahead. In other worlds, any row around it may hold higher slots.
 */
function mostRowsAhead({ dimensions, world }: Lattice): number {
  if (world.kind === 'bounded') return dimensions === 2 ? 2 : 5;
  if (world.kind === 'periodic') return dimensions === 2 ? 3 : 9;
  // Each row of three cells may lie in two blocks.
  return dimensions === 2 ? 6 : 18;
}

/** Returns a copy sorted by the first label, then the second. Labels are below `limit`. See makeRoom for `advice`. */
export function sortPairs(pairs: Uint32Array, length: number, limit: number, advice?: string): Uint32Array {
  return makeRoom(
    () => sortedCopy(pairs, length, limit),
    () => length / 2,
    advice,
  );
}

function sortedCopy(pairs: Uint32Array, length: number, limit: number): Uint32Array {
  if (arePairsSorted(pairs, length)) return pairs.slice(0, length);
  const ends = new Uint32Array(limit);
  for (let word = 0; word < length; word += 2) {
    const first = pairs[word] as number;
    ends[first] = (ends[first] as number) + 1;
  }
  let sum = 0;
  for (let first = 0; first < limit; first++) {
    const count = ends[first] as number;
    ends[first] = sum;
    sum += count;
  }
  const sorted = new Uint32Array(length);
  for (let word = 0; word < length; word += 2) {
    const first = pairs[word] as number;
    const entry = ends[first] as number;
    ends[first] = entry + 1;
    sorted[2 * entry] = first;
    sorted[2 * entry + 1] = pairs[word + 1] as number;
  }
  for (let begin = 0; begin < length; ) {
    const end = 2 * (ends[sorted[begin] as number] as number);
    sortSeconds(sorted, begin, end);
    begin = end;
  }
  return sorted;
}

function arePairsSorted(pairs: Uint32Array, length: number): boolean {
  for (let word = 2; word < length; word += 2) {
    const first = pairs[word] as number;
    const previous = pairs[word - 2] as number;
    if (first < previous) return false;
    if (first === previous && (pairs[word + 1] as number) < (pairs[word - 1] as number)) return false;
  }
  return true;
}

const SHORT_GROUP = 32;

function sortSeconds(pairs: Uint32Array, begin: number, end: number): void {
  if (end - begin > 2 * SHORT_GROUP) {
    const seconds = new Uint32Array((end - begin) / 2);
    for (let index = 0; index < seconds.length; index++)
      seconds[index] = pairs[begin + 2 * index + 1] as number;
    seconds.sort();
    for (let index = 0; index < seconds.length; index++)
      pairs[begin + 2 * index + 1] = seconds[index] as number;
    return;
  }
  for (let word = begin + 2; word < end; word += 2) {
    const moving = pairs[word + 1] as number;
    let entry = word;
    while (entry > begin && (pairs[entry - 1] as number) > moving) {
      pairs[entry + 1] = pairs[entry - 1] as number;
      entry -= 2;
    }
    pairs[entry + 1] = moving;
  }
}
