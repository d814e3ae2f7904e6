/**
 * Purpose: the neighbours of a simulation whose particles each have a radius of their own; see neighbours.ts. Particles
 * are filed and pairs found as by createCpuGrid with `radii`, by the places where particles are: after they moved, they
 * are filed anew, without changing their slots. What may touch then is what src/core/world/levels.ts says touched when they
 * were sorted, as on every engine, whatever cells this one files them in.
 */

import type { BroadPhase } from '../../core/contact/settings';
import { areWithinReach } from '../../core/world/levels';
import { visitBoxLevels } from '../levels/box';
import { LevelOrder } from '../levels/order';
import { LevelSearch } from '../levels/search';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { VARIABLE_CONTACT } from './general-contact';
import { type Census, type Neighbours, WIDER } from './neighbours';

export class MixedNeighbours implements Neighbours {
  readonly contact = VARIABLE_CONTACT;
  live = 0;
  private readonly order: LevelOrder;
  private readonly pairs: LevelSearch;
  /** Positions of slots when they were sorted. */
  private readonly sorted: Float32Array;
  /** After a move: whether the cells of two slots touched when they were sorted. */
  private touched: ((slot: number, other: number) => boolean) | undefined;

  constructor(
    private readonly lattice: Lattice,
    capacity: number,
  ) {
    this.order = new LevelOrder(lattice, capacity);
    this.pairs = new LevelSearch(this.order, capacity);
    this.sorted = new Float32Array(lattice.dimensions * capacity);
  }

  get source(): Uint32Array {
    return this.order.source;
  }

  get memoryBytes(): number {
    return this.order.memoryBytes + this.pairs.memoryBytes + this.sorted.byteLength;
  }

  sort(state: ParticleState, count: number, target: ParticleState): void {
    const { order, sorted, lattice } = this;
    order.sort(state.positions, state.positionWords, state.radii, count, state.ids);
    this.live = order.live;
    this.touched = undefined;
    const positions = order.positions.subarray(0, lattice.dimensions * count);
    sorted.set(positions);
    target.positions.set(positions);
    target.radii.set(order.radii.subarray(0, count));
  }

  follow({ positions, positionWords, radii }: ParticleState): void {
    const { order, lattice, sorted } = this;
    order.sort(positions, positionWords, radii, this.live);
    this.touched = (slot, other) => areWithinReach(lattice.world, sorted, radii, slot, other);
  }

  search(_state: ParticleState, names: Uint32Array, broadPhase: BroadPhase): LevelSearch {
    // After a move, what the order is filled from are slots.
    const { pairs, order, touched } = this;
    pairs.begin(touched ? order.source : names, broadPhase, touched);
    return pairs;
  }

  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void {
    visitBoxLevels(this.order, low, high, WIDER, visit);
  }

  census(): Census {
    const { order, pairs } = this;
    return { candidates: pairs.countCandidates(), ...order.census() };
  }
}
