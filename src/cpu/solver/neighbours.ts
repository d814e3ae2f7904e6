/**
 * The neighbour search that CpuSimulation needs. equal-neighbours.ts implements it for particles of one radius,
 * variable-neighbours.ts for particles with their own radii.
 * Guarantee: the order of particles and of pairs depends on the particles alone, not on the order of the input.
 */
import type { BroadPhase } from '../../core/contact/settings';
import type { Measures } from '../../core/simulation/simulation';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import type { ContactKernels } from './contact';

/** A search that goes over the pairs in portions, or collects them all. */
export interface PairsInPortions {
  readonly task: SlotPairs;
  /** Fills the task with the next portion; false when there are no more pairs. */
  advance(): boolean;
  collectInto(words: Uint32Array): Uint32Array;
}

/** Factor on a particle's extent in visitAround. More than an eighth wider, because positions are rounded. */
export const WIDER = 1.25;

/** Measures of how particles fill the cells, and the number of pairs that the grid passes to the distance test. */
export type Census = Pick<
  Measures,
  'candidates' | 'occupiedCells' | 'greatestOccupancy' | 'crowded' | 'bucketCollisions'
>;

export interface Neighbours {
  readonly contact: ContactKernels;
  /** From the last sort: the input index of the particle in each slot, and the number of particles not set aside. */
  readonly source: Uint32Array;
  readonly live: number;
  readonly memoryBytes: number;
  /** Finds the canonical order of `state` and writes positions and radii in that order to `target`. */
  sort(state: ParticleState, count: number, target: ParticleState): void;
  /** Starts a search of the sorted state. `labels`: the label of each slot in the pairs. */
  search(state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): PairsInPortions;
  /**
   * Visits the slots of all particles of the sorted state that, taken an eighth of their extent wider on each side,
   * reach into a box. May visit others nearby. In no particular order.
   */
  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  census(): Census;
}
