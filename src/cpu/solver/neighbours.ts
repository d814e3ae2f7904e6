/**
 * The neighbour search that CpuSimulation needs.
 * Guarantee: the order of particles and of pairs depends on the particles alone, not on the order of the input.
 */
import type { BroadPhase } from '../../core/contact/settings';
import type { Measures } from '../../core/simulation/simulation';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import type { ContactKernels } from './contact';

export interface PairPortions {
  readonly task: SlotPairs;
  /** Fills the task with the next portion. Returns false if there are no more pairs. */
  advance(): boolean;
}

export interface PairsInPortions extends PairPortions {
  collectInto(words: Uint32Array): Uint32Array;
}

/**
 * The factor on extents in visitAround. It adds a quarter instead of the eighth that visitAround promises, because
 * positions are rounded.
 */
export const WIDER = 1.25;

/** How particles fill the cells, and the number of candidates. */
export type Census = Pick<
  Measures,
  'candidates' | 'occupiedCells' | 'greatestOccupancy' | 'crowded' | 'bucketCollisions'
>;

/** Sorts particles into slots and finds pairs of slots. */
export interface SlotSearch {
  /** Per slot, the particle's index in the input of the last sort. */
  readonly source: Uint32Array;
  /** Number of particles of the last sort that are not quarantined. */
  readonly activeCount: number;
  readonly memoryBytes: number;
  /**
   * Finds the canonical order: by cell or bucket, then by id, quarantined particles last. Writes the positions to
   * `target` in that order, and the radii if they vary.
   */
  sort(state: ParticleState, count: number, target: ParticleState): void;
  /** `labels` holds the number that stands for each slot in the pairs. It must not change until the next sort. */
  search(state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): PairPortions;
}

/** A search whose order and pairs may stay valid for several substeps. */
export interface HeldSearch extends SlotSearch {
  /** Returns whether order and pairs are still valid. There must have been a search since the sort. */
  isValid(state: ParticleState): boolean;
}

export interface Neighbours extends SlotSearch {
  readonly contact: ContactKernels;
  /** Finds the pairs of several substeps at once. Undefined if each substep must search anew. */
  readonly held?: HeldSearch | undefined;
  search(state: ParticleState, labels: Uint32Array, broadPhase: BroadPhase): PairsInPortions;
  /**
   * Visits the slots of all particles that would reach into a box if they were an eighth larger, and perhaps others, in
   * no particular order.
   */
  visitAround(low: readonly number[], high: readonly number[], visit: (slot: number) => void): void;
  census(): Census;
}
