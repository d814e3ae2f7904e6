/**
 * The arrays that the CPU engine's inner loops work on, and the interface of the loops that search by cells. These
 * loops exist twice, in equal/plane.ts and equal/space.ts, because a loop over axes in them would cost more than the
 * rest. equal/wrapped.ts replaces some in periodic worlds, equal/hashed.ts in unbounded ones.
 * Vectors are packed: `dimensions` numbers per particle.
 */
import type { Sizes } from '../../core/particles/shapes';
import type { Lattice } from './lattice';

/** The arrays of the sort by column and row. */
export interface Placement {
  /**
   * Key of the cell of each particle of the input, later of each slot. A position that is not finite gets the number
   * after the last cell.
   */
  readonly keys: Int32Array;
  /** Index in the input of the particle in each slot. */
  readonly source: Uint32Array;
  /** The number of particles in each column and in each row; later the slot of the next particle of each. */
  readonly columnCounts: Uint32Array;
  readonly rowCounts: Uint32Array;
  /** Sorted by column: index in the input, key, and position, in words. */
  readonly records: Uint32Array;
}

/** The arrays of the sort by runs of consecutive cells, used if it writes to few positions at a time. */
export interface Bins {
  /** The number of particles in each run; later the slot of the next particle of each. */
  readonly counts: Uint32Array;
  /** A key shifted right by this is its run. */
  readonly shift: number;
  /** Keys in the order of the input; shares the memory of the other sort's records. */
  readonly given: Int32Array;
}

/** Overlapping pairs of slots. */
export interface SlotPairs {
  readonly lattice: Lattice;
  /** The lower slot of each pair first. */
  readonly words: Uint32Array;
  /** Number of words filled. */
  readonly length: number;
}

/** A search for overlapping pairs that can stop and continue. */
export interface PairTask extends SlotPairs {
  /** In canonical order: `live` keys, then NO_CELL. */
  readonly keys: Int32Array;
  readonly live: number;
  readonly positions: Float32Array;
  /** The label of each slot in the result. */
  readonly labels: Uint32Array;
  readonly diameter: number;
  /** In unbounded worlds the first slot of each bucket and the cell of each slot; empty otherwise. */
  readonly starts: Uint32Array;
  readonly coordinates: Int32Array;
  /** Pairs found, the lower label first. */
  words: Uint32Array;
  /** Number of words filled. */
  length: number;
  /** Slot whose pairs with later slots come next; `live` at the end. */
  next: number;
}

/** State by slot. */
export interface ParticleState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** The same memory as words, for copies to the bit: a NaN that passes through a number may change. */
  readonly positionWords: Uint32Array;
  readonly velocityWords: Uint32Array;
  /** Empty if all particles have one radius. */
  readonly radii: Float32Array;
  /**
   * See Shapes in core/particles/shapes.ts. If no particle may be a box, `halves` is empty and `bulks` is the array
   * `radii`.
   */
  readonly halves: Float32Array;
  readonly bulks: Float32Array;
}

/** Returns the sizes of a state's particles, as far as each has its own. */
export function sizesOf({ radii, halves, bulks }: Pick<ParticleState, 'radii' | 'halves' | 'bulks'>): Sizes {
  if (radii.length === 0) return {};
  return halves.length === 0 ? { radii } : { radii, halves, bulks };
}

/** The loops of a search by cells, for particles of one radius. */
export interface Kernels {
  /**
   * Finds the cells of positions and counts the particles in each column and row. Returns a negative number if keys
   * descend somewhere. It returns the number, not a comparison: V8 compiles a long loop from what has run before, so a
   * comparison behind the loop would discard that code in every call.
   */
  findCells(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): number;
  /** Like `findCells`, but writes keys and counts to the bins. */
  findCellsInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): number;

  /** Finds pairs slot by slot through the cells ahead, until `length` is past `stop` or `next` is `end`. */
  collect(task: PairTask, stop: number, end: number): void;
  /**
   * Finds the same pairs in the same order by comparing all slots, until `length` is past `stop` or there are no more
   * slots.
   */
  collectAll(task: PairTask, stop: number): void;
  /** Finds the pairs of one slot with those from `begin` up to `end`, whatever their cells. */
  scan(task: PairTask, slot: number, begin: number, end: number): void;

  /** Copies vectors: target[slot] = origin[source[slot]]. */
  gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void;
}
