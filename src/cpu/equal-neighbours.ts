/** Purpose: the neighbours of a simulation whose particles all have one radius; see neighbours.ts. */
import type { BroadPhase } from '../core/settings';
import type { Kernels, ParticleState } from './kernels';
import type { Lattice } from './lattice';
import { type Census, takeCensus } from './measure';
import type { Neighbours } from './neighbours';
import { CellOrder } from './order';
import { PairSearch } from './search';
import { kernelsFor } from './variants';

export class EqualNeighbours implements Neighbours {
  readonly contact: Kernels;
  readonly order: CellOrder;
  private readonly pairs: PairSearch;
  private hasMoved = false;

  constructor(lattice: Lattice, diameter: number, capacity: number) {
    this.contact = kernelsFor(lattice);
    this.order = new CellOrder(lattice, capacity);
    this.pairs = new PairSearch(this.order, diameter, capacity);
  }

  get source(): Uint32Array {
    return this.order.source;
  }

  get live(): number {
    return this.order.live;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.pairs.memoryBytes;
  }

  sort(state: ParticleState, count: number, target: ParticleState): void {
    this.order.sort(state.positions, state.positionWords, count, target.positionWords, state.ids);
    this.hasMoved = false;
  }

  follow(): void {
    this.hasMoved = true;
  }

  search(state: ParticleState, names: Uint32Array, broadPhase: BroadPhase): PairSearch {
    this.pairs.begin(state.positions, names, broadPhase, this.hasMoved);
    return this.pairs;
  }

  census(): Census {
    return takeCensus(this.order);
  }
}
