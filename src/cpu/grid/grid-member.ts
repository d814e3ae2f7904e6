/**
 * The part of one thread in building a grid and in searching it. ../equal/order-phases.ts describes the phases of a
 * build. Counting pairs takes one phase. Listing them takes two: each batch of slots writes its pairs anywhere in
 * shared memory; then the pairs are copied into the order of the slots. So the list equals that of a single thread.
 */
import type { World } from '../../core/world/world';
import { CellOrder } from '../equal/order';
import { OrderPhases } from '../equal/order-phases';
import { PairSearch } from '../equal/search';
import { defineLattice } from '../shared/lattice';
import { doublesIn, floatsIn, GivenMemory, integersIn, type Memory, wordsIn } from '../shared/memory';
import { wrapOnceIn } from '../shared/overlap';
import type { Member } from '../threads/control';
import { type Batches, batchesFor, GRID_BATCHES, JOB_NUMBERS } from '../threads/jobs';
import type { Mail } from '../threads/team';

export interface GridMemberOptions {
  readonly world: World;
  readonly capacity: number;
  readonly diameter: number;
  readonly threads: number;
}

export type GridPhase = 'keys' | 'scatter' | 'place' | 'count' | 'collect' | 'copy';
const PHASES: readonly GridPhase[] = ['keys', 'scatter', 'place', 'count', 'collect', 'copy'];

/** Words of `table` per batch: the number of words of its pairs, their index in `scattered`, their index in `found`. */
const ENTRY = 3;

export class GridMember implements Member {
  readonly order: CellOrder;
  readonly phases: OrderPhases;
  readonly search: PairSearch;
  /** The positions of the last build, wrapped, in the order of the input. */
  readonly input: Float32Array;
  readonly inputWords: Uint32Array;
  /** The same positions by slot. */
  readonly positions: Float32Array;
  readonly positionWords: Uint32Array;
  /** The lists of pairs of all batches, in any order, and the ordered list. */
  scattered: Uint32Array = new Uint32Array(0);
  found: Uint32Array = new Uint32Array(0);
  private readonly numbers: Float64Array;
  private readonly table: Int32Array;
  /** One element: the number of words of `scattered` in use. */
  private readonly used: Int32Array;
  private phase: GridPhase = 'keys';
  private count = 0;
  private size = 1;

  constructor(
    readonly options: GridMemberOptions,
    memory: Memory,
  ) {
    const { world, capacity, diameter, threads } = options;
    const { dimensions } = world;
    const mostBatches = GRID_BATCHES[dimensions].most * threads;
    this.order = new CellOrder(defineLattice(world), capacity, memory);
    this.phases = new OrderPhases(this.order, capacity, mostBatches, memory);
    this.search = new PairSearch(this.order, diameter, capacity);
    this.input = floatsIn(memory, dimensions * capacity);
    this.inputWords = new Uint32Array(this.input.buffer);
    this.positions = floatsIn(memory, dimensions * capacity);
    this.positionWords = new Uint32Array(this.positions.buffer);
    this.numbers = doublesIn(memory, JOB_NUMBERS);
    this.table = integersIn(memory, ENTRY * mostBatches);
    this.used = integersIn(memory, 1);
  }

  batchesFor(count: number): Batches {
    const { world, threads } = this.options;
    return batchesFor(count, threads, GRID_BATCHES[world.dimensions]);
  }

  get memoryBytes(): number {
    const { order, phases, search, input, positions, scattered, found, options } = this;
    return (
      order.memoryBytes +
      phases.memoryBytes +
      options.threads * search.memoryBytes +
      input.byteLength +
      positions.byteLength +
      scattered.byteLength +
      found.byteLength
    );
  }

  /** Takes new memory for the lists of pairs. */
  receive(mail: Mail): void {
    const memory = new GivenMemory(mail);
    const words = (mail[0] as SharedArrayBuffer).byteLength / 4;
    this.scattered = wordsIn(memory, words);
    this.found = wordsIn(memory, words);
  }

  /**
   * The owner calls this before each job. `size` is the length of a batch. `count` is the number of active slots in the
   * phases `count` and `collect`, and of particles in `keys` and `scatter`. `place` and `copy` use neither number.
   */
  prepare(phase: GridPhase, count: number, size: number): void {
    const { numbers, order } = this;
    numbers.set([PHASES.indexOf(phase), count, size, order.activeCount, order.fullestRow]);
    if (phase === 'collect') this.used[0] = 0;
  }

  begin(): void {
    const [phase, count, size, activeCount, fullestRow] = this.numbers as unknown as number[];
    this.phase = PHASES[phase as number] as GridPhase;
    this.count = count as number;
    this.size = size as number;
    this.order.activeCount = activeCount as number;
    this.order.fullestRow = fullestRow as number;
  }

  perform(batch: number): void {
    const { phases, phase, size, inputWords } = this;
    const begin = batch * size;
    const end = Math.min(begin + size, this.count);
    if (phase === 'keys') {
      const { world } = this.options;
      if (world.kind === 'periodic') wrapOnceIn(world, this.input, begin, end);
      phases.findKeys(batch, begin, end, this.input);
    } else if (phase === 'scatter') phases.scatter(batch, begin, end, inputWords);
    else if (phase === 'place') phases.place(batch, inputWords, this.positionWords);
    else if (phase === 'count') this.countPairs(batch, begin, end);
    else if (phase === 'collect') this.collectPairs(batch, begin, end);
    else this.copyPairs(batch);
  }

  /** Returns how many words the pairs of all `batches` take, and decides where the pairs of each batch go. */
  arrange(batches: number): number {
    const { table } = this;
    let words = 0;
    for (let entry = 0; entry < ENTRY * batches; entry += ENTRY) {
      table[entry + 2] = words;
      words += table[entry] as number;
    }
    return words;
  }

  private countPairs(batch: number, begin: number, end: number): void {
    const { search, table } = this;
    search.begin(this.positions, this.order.source);
    table[ENTRY * batch] = search.countRange(begin, end);
  }

  private collectPairs(batch: number, begin: number, end: number): void {
    const { search, table, used, scattered } = this;
    search.begin(this.positions, this.order.source);
    search.collectRange(begin, end, Number.POSITIVE_INFINITY);
    const { words, length } = search.task;
    const at = Atomics.add(used, 0, length);
    table[ENTRY * batch] = length;
    table[ENTRY * batch + 1] = at;
    // If the pairs do not fit, the owner searches again with more memory.
    if (at + length <= scattered.length) scattered.set(words.subarray(0, length), at);
  }

  private copyPairs(batch: number): void {
    const { table, scattered, found } = this;
    const [length, from, to] = table.subarray(ENTRY * batch, ENTRY * (batch + 1)) as unknown as number[];
    found.set(scattered.subarray(from as number, (from as number) + (length as number)), to as number);
  }
}
