/** The neighbour search of a simulation with one radius. */
import type { BroadPhase } from '../../core/contact/settings';
import { visitInBox } from '../equal/box';
import { CellOrder } from '../equal/order';
import { PairSearch } from '../equal/search';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { type Memory, OWN_MEMORY } from '../shared/memory';
import type { ContactKernels } from './contact';
import { contactKernelsFor } from './contact-kernels';
import { HeldPairs } from './held-pairs';
import { takeCensus } from './measure';
import { type Census, type Neighbours, WIDER } from './neighbours';

export class EqualNeighbours implements Neighbours {
  readonly contact: ContactKernels;
  readonly order: CellOrder;
  readonly held: HeldPairs | undefined;
  readonly pairs: PairSearch;
  private positions: Float32Array = new Float32Array(0);
  private readonly margin: number;

  /** `holds`: whether steps may use one list of pairs for several substeps. */
  constructor(
    lattice: Lattice,
    diameter: number,
    capacity: number,
    holds: boolean,
    memory: Memory = OWN_MEMORY,
  ) {
    this.contact = contactKernelsFor(lattice);
    this.order = new CellOrder(lattice, capacity, memory);
    this.pairs = new PairSearch(this.order, diameter, capacity);
    if (holds) this.held = HeldPairs.create(lattice.world, capacity, this.pairs.task.words, memory);
    this.margin = (WIDER * diameter) / 2;
  }

  get source(): Uint32Array {
    return this.order.source;
  }

  get activeCount(): number {
    return this.order.activeCount;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.pairs.memoryBytes + (this.held?.memoryBytes ?? 0);
  }

  sort(state: ParticleState, count: number, target: ParticleState): void {
    this.order.sort(state.positions, state.positionWords, count, target.positionWords, state.ids);
    this.positions = target.positions;
  }

  search(state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): PairSearch {
    this.pairs.begin(state.positions, labels, broadPhase);
    return this.pairs;
  }

  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void {
    const { order, margin } = this;
    visitInBox(
      order,
      this.positions,
      low.map((along) => along - margin),
      high.map((along) => along + margin),
      visit,
    );
  }

  census(): Census {
    return takeCensus(this.order);
  }
}
