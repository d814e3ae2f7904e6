/**
 * Purpose: what CpuSimulation asks of whoever finds which of its particles overlap: equal-neighbours.ts where all have
 * one radius, mixed-neighbours.ts where each has its own.
 * Guarantee: the order of particles and that of pairs depend on the particles alone, not on the order they come in.
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

/** How much wider those are taken to be that are to reach somewhere; more than an eighth, since places are rounded. */
export const WIDER = 1.25;

/** Who is in which cell, and the pairs that the grid hands to the distance test. */
export type Census = Pick<
  Measures,
  'candidates' | 'occupiedCells' | 'greatestOccupancy' | 'crowded' | 'bucketCollisions'
>;

export interface Neighbours {
  readonly contact: ContactKernels;
  /** Of the last sort: for each slot the index it is filled from, and how many particles are not set aside. */
  readonly source: Uint32Array;
  readonly live: number;
  readonly memoryBytes: number;
  /** Finds the canonical order of the state, and brings positions and radii into it, in `target`. */
  sort(state: ParticleState, count: number, target: ParticleState): void;
  /** Pairs of the sorted state; `names` is what slots are called. */
  search(state: ParticleState, names: Uint32Array, broadPhase: BroadPhase): PairsInPortions;
  /**
   * Slots of those that reach into a box, an eighth of their extent wider on each side, and perhaps of others nearby: of the
   * state that was sorted. In no particular order.
   */
  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  census(): Census;
}
