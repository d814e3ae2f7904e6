/**
 * Arrays and loops of the searches by cells. 2D and 3D have separate loops (in bounded worlds: ../equal/plane.ts and
 * ../equal/space.ts), because a loop over axes would take longer than the rest of the work.
 *
 * A key is the number of a cell (see lattice.ts). The cells ahead of a cell are its neighbours with higher keys.
 * Vectors are packed: 2D vectors take two numbers, 3D vectors three.
 */
import type { Sizes } from '../../core/particles/shapes';
import type { Lattice } from './lattice';

export interface Placement {
  /**
   * Keys in the order of the input; after the sort, by slot. Quarantined particles have greater keys than all cells.
   */
  readonly keys: Int32Array;
  /** Per slot, the particle's index in the input. */
  readonly source: Uint32Array;
  /** Particles per column and per row. During the sort: where the next particle goes. */
  readonly columnCounts: Uint32Array;
  readonly rowCounts: Uint32Array;
  /** The particles sorted by column: index in the input, key, and position as words. */
  readonly records: Uint32Array;
}

export interface Bins {
  /** Particles per bin. During the sort: the slot of the next one. */
  readonly counts: Uint32Array;
  /** A key shifted right by this many bits is the number of its bin. */
  readonly shift: number;
  /** The key of each particle in input order. The keys share the memory of `Placement.records`. */
  readonly inputKeys: Int32Array;
}

export interface SlotPairs {
  readonly lattice: Lattice;
  /** Two slots per pair, the lower slot first. */
  readonly words: Uint32Array;
  readonly length: number;
}

export interface PairTask extends SlotPairs {
  /** The key of each slot in canonical order; NO_CELL from `activeCount` on. */
  readonly keys: Int32Array;
  readonly activeCount: number;
  readonly positions: Float32Array;
  /** The label of each slot, such as the particle's id. */
  readonly labels: Uint32Array;
  diameter: number;
  /** In unbounded worlds, the first slot of each bucket and the cell of each slot; otherwise empty. */
  readonly starts: Uint32Array;
  readonly coordinates: Int32Array;
  /** Two labels per pair, the lower label first. */
  words: Uint32Array;
  length: number;
  next: number;
}

export interface ParticleState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** Positions and velocities as words, for bit-exact copies: copying a NaN as a number may change its bits. */
  readonly positionWords: Uint32Array;
  readonly velocityWords: Uint32Array;
  readonly radii: Float32Array;
  /** See core/particles/shapes.ts. Without boxes, `halves` is empty and `bulks` is `radii`. */
  readonly halves: Float32Array;
  readonly bulks: Float32Array;
  /** Loads (core/contact/law.ts) in the last substep. Like `radii`, empty if all particles have one radius. */
  readonly loads: Float32Array;
  /** In exact simulations, positions and velocities in whole numbers (core/exact/quanta.ts); otherwise empty. */
  readonly quanta: Int32Array;
  readonly rates: Int32Array;
}

export function sizesOf({ radii, halves, bulks }: Pick<ParticleState, 'radii' | 'halves' | 'bulks'>): Sizes {
  if (radii.length === 0) return {};
  return halves.length === 0 ? { radii } : { radii, halves, bulks };
}

export interface Kernels {
  /**
   * Writes `keys` and counts the particles per column and row. Returns a negative number if any key is below the one
   * before it. The result is not a boolean, because a comparison after the loop would make V8 discard the optimised
   * loop in every call.
   */
  findCells(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): number;
  /** Like `findCells`, but writes `inputKeys` and counts the particles per bin. */
  findCellsInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): number;

  /**
   * Finds the pairs of each slot with later slots nearby, until `length` exceeds `stop` or `next` reaches `end`. Set
   * `continues` only if the last call was for earlier slots of this task and nothing has changed since.
   */
  collect(task: PairTask, stop: number, end: number, continues?: boolean): void;
  /** Finds the same pairs in the same order, but compares all slots. */
  collectAll(task: PairTask, stop: number): void;
  /** Finds the pairs of a slot with the slots from `begin` up to `end`, whatever their cells. */
  scan(task: PairTask, slot: number, begin: number, end: number): void;

  gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void;
}
