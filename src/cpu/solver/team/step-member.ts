/**
 * The part of one thread in a step of a simulation with one radius. A batch is a run of slots.
 *
 * A thread adds up the contacts of a batch in arrays of its own, so no two threads write the same sums. It visits all
 * pairs with a particle in the batch: first pairs whose lower slot is in an earlier batch, then those whose lower slot
 * is in this batch. A single thread visits the pairs of each particle in the same order.
 * Guarantee: so the bits are those of one thread, for any number of threads and batches.
 *
 * To sort particles and to resolve contacts, threads read one copy of the state and write the other, because work on
 * other batches still reads the first.
 */
import type { Substep } from '../../../core/contact/settings';
import type { World } from '../../../core/world/world';
import { OrderPhases } from '../../equal/order-phases';
import { kernelsFor } from '../../equal/variants';
import type { Kernels, ParticleState, SlotPairs } from '../../shared/kernels';
import { defineLattice } from '../../shared/lattice';
import { doublesIn, integersIn, type Memory, wordsIn } from '../../shared/memory';
import { wrapIn } from '../../shared/overlap';
import type { Member } from '../../threads/control';
import { type Batches, batchesFor, JOB_NUMBERS, STEP_BATCHES } from '../../threads/jobs';
import type { Response } from '../contact';
import { EqualNeighbours } from '../equal-neighbours';
import { EqualObstacles } from '../equal-obstacles';
import { clearMarked, finish } from '../finish';
import { findRanges, type HeldPairs, PAIRS_EACH } from '../held-pairs';
import { integrate } from '../integrate';
import { Obstacles } from '../obstacles';
import { byteLengthOf, createResponse, createState } from '../state';

export interface StepMemberOptions {
  readonly world: World;
  readonly capacity: number;
  readonly diameter: number;
  readonly obstacleCapacity: number;
  readonly threads: number;
}

const PHASES = ['integrate', 'keys', 'scatter', 'place', 'list', 'exchange', 'partners', 'resolve'] as const;
export type StepPhase = (typeof PHASES)[number];

/** The parameters of a job. */
export interface StepJob {
  readonly phase: StepPhase;
  /** Which copy of the state is the current one: 0 or 1. */
  readonly current: 0 | 1;
  readonly count: number;
  /** Slots per batch. */
  readonly size: number;
  /** Whether order and pairs are those of HeldPairs. */
  readonly isHeld: boolean;
  readonly substep: Substep;
  /** Whether to integrate the next substep at the end of this one. */
  readonly continues: boolean;
  /** Whether this is the first pass since the sort. Then the ids in the other copy are still in the old order. */
  readonly isFirst: boolean;
}

/**
 * Words of `table` per batch: where its part of `own` begins, and the length of that part; the same for `leaving` and
 * `arriving`; then the greatest slot in its part of `leaving`.
 */
const ENTRY = 7;
const FARTHEST = 6;

type Scalar = keyof { [Key in keyof Substep as Substep[Key] extends number ? Key : never]: true };
const SCALARS = Object.keys({
  dt: 0,
  inverseDt: 0,
  diameter: 0,
  diameterSquared: 0,
  restitution: 0,
  friction: 0,
  halfRelaxation: 0,
  gripShare: 0,
  restSpeed: 0,
  pushSpeed: 0,
  parting: 0,
  kickSpeed: 0,
  calmSpeed: 0,
  deepRate: 0,
  strainRate: 0,
  substeps: 0,
} satisfies Record<Scalar, 0>) as readonly Scalar[];
/** Indices in the numbers of a job: how many substeps the owner has written, and where the last one begins. */
const WRITES = 12;
const SUBSTEP = 16;

export class StepMember implements Member {
  readonly states: readonly [ParticleState, ParticleState];
  readonly neighbours: EqualNeighbours;
  readonly obstacles: Obstacles | undefined;
  readonly response: Response;
  /** The ranges that findRanges writes, per batch. */
  readonly ranges: Float64Array;
  /** How many words of each list are in use: `own`, `leaving`, `arriving`. */
  readonly used: Int32Array;
  private readonly obstacleSearch: EqualObstacles | undefined;
  private readonly kernels: Kernels;
  private readonly phasesOfOrder: readonly [OrderPhases, OrderPhases | undefined];
  /** 0, 1, 2 …: the labels for a search that returns slots. */
  readonly slots: Uint32Array;
  /** The pairs whose lower slot is in a batch, batch by batch. */
  private readonly own: Uint32Array;
  /** The pairs of `own` whose higher slot is in a later batch. */
  private readonly leaving: Uint32Array;
  /** The pairs of `leaving`, by the batch of the higher slot. */
  private readonly arriving: Uint32Array;
  private readonly table: Int32Array;
  private readonly numbers: Float64Array;
  /** The partners of the present batch; those of all slots are in `response`. */
  private readonly ownPartners: Int32Array;
  private scratch = new Uint32Array(0);
  private job: StepJob | undefined;
  /** The substep that the owner has written last. */
  private written: Substep | undefined;
  /** How many substeps the owner had written when this member read the last one. */
  private reads = 0;
  private substep: Substep | undefined;

  constructor(
    private readonly options: StepMemberOptions,
    memory: Memory,
    private readonly isOwner = false,
  ) {
    const { world, capacity, diameter, obstacleCapacity, threads } = options;
    const { dimensions } = world;
    const lattice = defineLattice(world);
    const plan = { dimensions, capacity, radiusRange: undefined, boxes: false };
    const mostBatches = STEP_BATCHES[dimensions].most * threads;
    this.kernels = kernelsFor(lattice);
    this.states = [createState(plan, memory), createState(plan, memory)];
    this.neighbours = new EqualNeighbours(lattice, diameter, capacity, true, memory);
    if (obstacleCapacity > 0) {
      this.obstacleSearch = new EqualObstacles(lattice, diameter, obstacleCapacity, memory);
      this.obstacles = new Obstacles(lattice, this.obstacleSearch);
    }
    const { order, held } = this.neighbours;
    this.phasesOfOrder = [
      new OrderPhases(order, capacity, mostBatches, memory),
      held && new OrderPhases(held.order, capacity, mostBatches, memory),
    ];
    this.ownPartners = new Int32Array(capacity);
    this.response = { ...createResponse(dimensions, capacity), partners: integersIn(memory, capacity) };
    this.slots = new Uint32Array(capacity);
    for (let slot = 0; slot < capacity; slot++) this.slots[slot] = slot;
    const room = 2 * PAIRS_EACH[dimensions] * capacity;
    this.own = wordsIn(memory, room);
    this.leaving = wordsIn(memory, room);
    this.arriving = wordsIn(memory, room);
    this.used = integersIn(memory, 3);
    this.table = integersIn(memory, ENTRY * mostBatches);
    this.ranges = doublesIn(memory, 2 * dimensions * mostBatches);
    this.numbers = doublesIn(memory, JOB_NUMBERS);
  }

  /** Returns how to divide a job over `count` particles. */
  batchesFor(count: number): Batches {
    const { world, threads } = this.options;
    return batchesFor(count, threads, STEP_BATCHES[world.dimensions]);
  }

  /** Bytes of the arrays of all members, without those that a simulation in one thread also has. */
  get memoryBytes(): number {
    const { response, own, leaving, arriving, ranges, table, phasesOfOrder, options, ownPartners, slots } =
      this;
    const perWorker = byteLengthOf({ ...response, slots }) + this.neighbours.pairs.memoryBytes;
    const orders = phasesOfOrder.reduce((sum, phases) => sum + (phases?.memoryBytes ?? 0), 0);
    return (
      (options.threads - 1) * perWorker +
      options.threads * ownPartners.byteLength +
      byteLengthOf({ slots, own, leaving, arriving, ranges, table }) +
      orders
    );
  }

  orderPhases(isHeld: boolean): OrderPhases {
    return this.phasesOfOrder[isHeld ? 1 : 0] as OrderPhases;
  }

  /** The owner calls this before each job. */
  prepare(job: StepJob): void {
    const { numbers, obstacles, obstacleSearch } = this;
    const { substep } = job;
    const { order } = this.orderPhases(job.isHeld);
    numbers.set([
      PHASES.indexOf(job.phase),
      job.current,
      job.count,
      job.size,
      Number(job.isHeld),
      Number(job.continues),
      Number(substep.walls),
      order.activeCount,
      order.fullestRow,
      obstacles?.count ?? 0,
      obstacleSearch?.activeCount ?? 0,
      Number(job.isFirst),
    ]);
    // Writing and reading a substep is slow compared with small jobs. Most jobs have the substep of the job before.
    if (substep !== this.written) {
      this.written = substep;
      numbers[WRITES] = (numbers[WRITES] as number) + 1;
      const scalars = SCALARS.map((name) => substep[name]);
      numbers.set([...scalars, ...substep.gravity, ...substep.lower, ...substep.upper], SUBSTEP);
    }
    if (job.phase === 'list') this.used.fill(0);
  }

  begin(): void {
    const { numbers, obstacles, obstacleSearch } = this;
    const at = (index: number) => numbers[index] as number;
    const { order } = this.orderPhases(at(4) === 1);
    order.activeCount = at(7);
    order.fullestRow = at(8);
    if (!this.substep || this.reads !== at(WRITES)) {
      this.reads = at(WRITES);
      this.substep = this.readSubstep(at(6) === 1);
    }
    this.job = {
      phase: PHASES[at(0)] as StepPhase,
      current: at(1) as 0 | 1,
      count: at(2),
      size: at(3),
      isHeld: at(4) === 1,
      continues: at(5) === 1,
      isFirst: at(11) === 1,
      substep: this.substep,
    };
    if (this.isOwner || !obstacles || !obstacleSearch) return;
    obstacleSearch.adopt(at(9), at(10));
    obstacles.given = obstacleSearch.bodies;
  }

  perform(batch: number): void {
    const { job, states, options } = this;
    if (!job) return;
    const { phase, current, count, size, substep } = job;
    const state = states[current];
    const begin = batch * size;
    const end = Math.min(begin + size, count);
    const phases = this.orderPhases(job.isHeld);
    if (phase === 'integrate') {
      integrate(options.world.dimensions, state, begin, end, substep);
      this.wrapIn(state, begin, end);
    } else if (phase === 'keys') phases.findKeys(batch, begin, end, state.positions);
    else if (phase === 'scatter') phases.scatter(batch, begin, end, state.positionWords);
    else if (phase === 'place') this.place(phases, job, batch);
    else {
      const { activeCount } = phases.order;
      const activeEnd = Math.max(begin, Math.min(end, activeCount));
      if (phase === 'list') this.listPairs(job, batch, begin, activeEnd);
      else if (phase === 'exchange') this.exchange(batch, begin, activeEnd);
      else if (phase === 'partners') this.findPartners(job, batch, begin, activeEnd);
      else this.resolve(job, batch, begin, activeEnd, end);
    }
  }

  /** Returns whether the lists hold all pairs, in at most `most` words. */
  hasListed(most = this.own.length): boolean {
    return (this.used[0] as number) <= most;
  }

  /** Does in one thread what the phases partners and resolve do, in place and without lists. */
  resolveAlone({ current, count, isHeld, substep, continues }: StepJob, done: (stage: string) => void): void {
    const { neighbours, response, obstacles, slots, options } = this;
    const { pairs } = (isHeld ? neighbours.held : undefined) ?? neighbours;
    const { activeCount } = this.orderPhases(isHeld).order;
    const { dimensions } = options.world;
    const state = this.states[current];
    if (substep.restitution > 0) {
      response.partners.fill(-1, 0, activeCount);
      response.approaches.fill(-substep.restSpeed, 0, activeCount);
      pairs.begin(state.positions, slots);
      while (pairs.advance()) neighbours.contact.findPartners(pairs.task, state, response, substep);
      done('partner');
    }
    pairs.begin(state.positions, slots);
    while (pairs.advance()) neighbours.contact.respond(pairs.task, state, response, substep);
    finish(dimensions, state, 0, activeCount, response, substep, obstacles);
    this.wrapIn(state, 0, activeCount);
    if (continues) {
      integrate(dimensions, state, 0, count, substep);
      this.wrapIn(state, 0, count);
    }
    done('resolve');
  }

  private readSubstep(walls: boolean): Substep {
    const { numbers, options } = this;
    const { dimensions } = options.world;
    const scalars = Object.fromEntries(
      SCALARS.map((name, index) => [name, numbers[SUBSTEP + index] as number]),
    );
    const first = SUBSTEP + SCALARS.length;
    const vector = (index: number) =>
      Array.from(numbers.subarray(first + dimensions * index, first + dimensions * (index + 1)));
    return {
      ...(scalars as Record<Scalar, number>),
      gravity: vector(0),
      lower: vector(1),
      upper: vector(2),
      walls,
    };
  }

  /** Sorts the state of a part into the other copy. */
  private place(phases: OrderPhases, { current, isHeld }: StepJob, part: number): void {
    const { kernels, states, neighbours, options } = this;
    const { dimensions } = options.world;
    const state = states[current];
    const target = states[1 - current] as ParticleState;
    const [begin, end] = phases.place(part, state.positionWords, target.positionWords, state.ids);
    const source = phases.order.source.subarray(begin, end);
    const velocities = target.velocityWords.subarray(dimensions * begin, dimensions * end);
    kernels.gather(state.velocityWords, velocities, source, end - begin);
    for (let slot = begin; slot < end; slot++) {
      target.ids[slot] = state.ids[phases.order.source[slot] as number] as number;
    }
    if (!isHeld) return;
    const { origins } = neighbours.held as HeldPairs;
    origins.set(target.positions.subarray(dimensions * begin, dimensions * end), dimensions * begin);
  }

  /** Lists the pairs whose lower slot is in a batch. If the lists have no room for them, `used` says so. */
  private listPairs({ current, isHeld }: StepJob, batch: number, begin: number, end: number): void {
    const { neighbours, own, leaving, states, slots } = this;
    const held = isHeld ? neighbours.held : undefined;
    const { pairs } = held ?? neighbours;
    const { task } = pairs;
    const { diameter } = task;
    if (held) task.diameter = held.reach;
    pairs.begin(states[current].positions, slots);
    pairs.collectRange(begin, end, own.length);
    task.diameter = diameter;
    const { words, length } = task;
    if (this.scratch.length < length) this.scratch = new Uint32Array(words.length);
    const { scratch } = this;
    let crossing = 0;
    let farthest = 0;
    for (let word = 0; word < length; word += 2) {
      const other = words[word + 1] as number;
      if (other < end) continue;
      if (other > farthest) farthest = other;
      scratch[crossing++] = words[word] as number;
      scratch[crossing++] = other;
    }
    this.table[ENTRY * batch + FARTHEST] = farthest;
    this.append(0, own, words, length, batch);
    this.append(1, leaving, scratch, crossing, batch);
  }

  /** Collects the pairs whose higher slot is in a batch, and whose lower slot is in an earlier one. */
  private exchange(batch: number, begin: number, end: number): void {
    const { leaving, arriving, table } = this;
    let length = 0;
    for (let from = 0; from < batch; from++) {
      if ((table[ENTRY * from + FARTHEST] as number) < begin) continue;
      const first = table[ENTRY * from + 2] as number;
      const last = first + (table[ENTRY * from + 3] as number);
      if (this.scratch.length < length + last - first) {
        const longer = new Uint32Array(2 * (length + last - first));
        longer.set(this.scratch);
        this.scratch = longer;
      }
      const { scratch } = this;
      for (let word = first; word < last; word += 2) {
        const other = leaving[word + 1] as number;
        if (other < begin || other >= end) continue;
        scratch[length++] = leaving[word] as number;
        scratch[length++] = other;
      }
    }
    this.append(2, arriving, this.scratch, length, batch);
  }

  private append(list: number, target: Uint32Array, words: Uint32Array, length: number, batch: number): void {
    const at = Atomics.add(this.used, list, length);
    this.table[ENTRY * batch + 2 * list] = at;
    this.table[ENTRY * batch + 2 * list + 1] = length;
    if (at + length <= target.length) target.set(words.subarray(0, length), at);
  }

  private pairsOf(list: number, words: Uint32Array, batch: number): SlotPairs {
    const at = this.table[ENTRY * batch + 2 * list] as number;
    const length = this.table[ENTRY * batch + 2 * list + 1] as number;
    return { lattice: this.neighbours.order.lattice, words: words.subarray(at, at + length), length };
  }

  private findPartners({ current, substep }: StepJob, batch: number, begin: number, end: number): void {
    const { neighbours, response, ownPartners, arriving, own } = this;
    const state = this.states[current];
    const found = { ...response, partners: ownPartners };
    ownPartners.fill(-1, begin, end);
    response.approaches.fill(-substep.restSpeed, begin, end);
    for (const pairs of [this.pairsOf(2, arriving, batch), this.pairsOf(0, own, batch)]) {
      neighbours.contact.findPartners(pairs, state, found, substep);
    }
    response.partners.set(ownPartners.subarray(begin, end), begin);
  }

  private resolve(job: StepJob, batch: number, begin: number, activeEnd: number, end: number): void {
    const { neighbours, response, obstacles, options, leaving, arriving, own } = this;
    const { dimensions } = options.world;
    const { current, substep } = job;
    const state = this.states[current];
    const target = this.states[1 - current] as ParticleState;
    const from = this.pairsOf(2, arriving, batch);
    neighbours.contact.respond(from, state, response, substep);
    neighbours.contact.respond(this.pairsOf(0, own, batch), state, response, substep);
    this.forget(from, 0);
    this.forget(this.pairsOf(1, leaving, batch), 1);
    finish(dimensions, state, begin, activeEnd, response, substep, obstacles, target);
    if (job.isFirst) target.ids.set(state.ids.subarray(begin, end), begin);
    const [first, last] = [dimensions * activeEnd, dimensions * end];
    target.positionWords.set(state.positionWords.subarray(first, last), first);
    target.velocityWords.set(state.velocityWords.subarray(first, last), first);
    this.wrapIn(target, begin, activeEnd);
    if (!job.continues) return;
    integrate(dimensions, target, begin, end, substep);
    this.wrapIn(target, begin, end);
    if (!job.isHeld) return;
    const { origins, order } = neighbours.held as HeldPairs;
    const { periods } = order.lattice;
    findRanges(
      dimensions,
      begin,
      activeEnd,
      target.positions,
      origins,
      periods,
      this.ranges,
      2 * dimensions * batch,
    );
  }

  /** Drops the sums of particles of other batches: of the lower slot of each pair (`side` 0) or of the higher (1). */
  private forget({ words, length }: SlotPairs, side: number): void {
    const { changes, supports, bearings, marks } = this.response;
    const { dimensions } = this.options.world;
    for (let word = side; word < length; word += 2) {
      const slot = words[word] as number;
      bearings[slot] = 0;
      if (marks[slot] !== 0) clearMarked(dimensions, this.response, slot);
      for (let entry = dimensions * slot; entry < dimensions * (slot + 1); entry++) {
        changes[entry] = 0;
        supports[entry] = 0;
      }
    }
  }

  private wrapIn(state: ParticleState, begin: number, end: number): void {
    const { world } = this.options;
    if (world.kind === 'periodic') wrapIn(world, state.positions, begin, end);
  }
}
