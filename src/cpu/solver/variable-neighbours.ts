/**
 * The neighbour search of a simulation with variable radii; see neighbours.ts. It sorts particles and finds pairs like
 * createCpuLevelGrid.
 *
 * Other files that handle variable radii:
 *   - ../levels/order.ts: the sort;
 *   - ../levels/cells.ts: the levels in use, cells and buckets;
 *   - ../levels/search.ts and dense.ts: pairs;
 *   - general-contact.ts: contacts;
 *   - variable-obstacles.ts: obstacles.
 */

import type { BroadPhase } from '../../core/contact/settings';
import { visitBoxLevels } from '../levels/box';
import { LevelOrder } from '../levels/order';
import { LevelSearch } from '../levels/search';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { GENERAL_CONTACT } from './general-contact';
import { type Census, type Neighbours, WIDER } from './neighbours';

export class VariableNeighbours implements Neighbours {
  readonly contact = GENERAL_CONTACT;
  activeCount = 0;
  private readonly order: LevelOrder;
  private readonly pairs: LevelSearch;

  constructor(
    private readonly lattice: Lattice,
    capacity: number,
  ) {
    this.order = new LevelOrder(lattice, capacity);
    this.pairs = new LevelSearch(this.order, capacity);
  }

  get source(): Uint32Array {
    return this.order.source;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.pairs.memoryBytes;
  }

  sort(state: ParticleState, count: number, target: ParticleState): void {
    const { order, lattice } = this;
    order.sort(state.positions, state.positionWords, state.radii, count, state.ids);
    this.activeCount = order.activeCount;
    const positions = order.positions.subarray(0, lattice.dimensions * count);
    target.positions.set(positions);
    target.radii.set(order.radii.subarray(0, count));
  }

  search(_state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): LevelSearch {
    this.pairs.begin(labels, broadPhase);
    return this.pairs;
  }

  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void {
    visitBoxLevels(this.order, low, high, WIDER, visit);
  }

  census(): Census {
    const { order, pairs } = this;
    return { candidates: pairs.countCandidates(), ...order.census() };
  }
}
