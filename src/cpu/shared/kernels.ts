/**
 * The arrays that the CPU engine's inner loops work on, and the interface of the loops that search by cells. These loops
 * exist twice, in equal/plane.ts and equal/space.ts, because a loop over axes in them would cost more than the rest.
 * equal/wrapped.ts replaces some in periodic worlds, equal/hashed.ts in unbounded ones.
 * Vectors are packed: `dimensions` numbers per particle.
 */
import type { Sizes } from '../../core/particles/shapes';
import type { Lattice } from './lattice';

/** What the sort by cells works on. */
export interface Placement {
  /** Cell of each particle of the input, then of each slot. Not finite: the number past the last cell. */
  readonly keys: Int32Array;
  /** Index in the input of the particle in each slot. */
  readonly source: Uint32Array;
  /** Particles in each column and in each row; then where the next particle of each goes. */
  readonly columnCounts: Uint32Array;
  readonly rowCounts: Uint32Array;
  /** Sorted by column: index in the input, key, and position, in words. */
  readonly records: Uint32Array;
}

/** What the sort by runs of consecutive cells works on, where it writes to few places at a time. */
export interface Bins {
  /** Particles in each run; then where the next particle of each goes. */
  readonly counts: Uint32Array;
  /** A key shifted right by this is its run. */
  readonly shift: number;
  /** Keys in the order of the input; the same memory as the records of the other sort. */
  readonly given: Int32Array;
}

/** Pairs that overlap, by slots. */
export interface SlotPairs {
  readonly lattice: Lattice;
  /** The lower slot first. */
  readonly words: Uint32Array;
  /** Words filled. */
  readonly length: number;
}

/** A search for overlapping pairs that can stop and go on. */
export interface PairTask extends SlotPairs {
  /** In canonical order, `live` of them and NO_CELL behind. */
  readonly keys: Int32Array;
  readonly live: number;
  readonly positions: Float32Array;
  /** What each slot is called in the result. */
  readonly names: Uint32Array;
  readonly diameter: number;
  /**
   * Positions may have changed since they were sorted: only pairs of cells that were adjacent then count, since
   * the grid can see no others.
   */
  readonly frozen: boolean;
  /** Of unbounded worlds, else empty: the first slot of each bucket, and the cell of each slot. */
  readonly starts: Uint32Array;
  readonly coordinates: Int32Array;
  /** Pairs found, the lower name first. */
  words: Uint32Array;
  /** Words filled. */
  length: number;
  /** Slot whose pairs with later slots come next; `live` at the end. */
  next: number;
}

/** State in slot order. */
export interface ParticleState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly ids: Uint32Array;
  /** The same memory as words, to be copied to the bit: a NaN that passes through a number may change. */
  readonly positionWords: Uint32Array;
  readonly velocityWords: Uint32Array;
  /** Empty where all have one radius. */
  readonly radii: Float32Array;
  /** See Shapes in core/particles/shapes.ts: empty where none may be a box; the same array as `radii` then. */
  readonly halves: Float32Array;
  readonly bulks: Float32Array;
}

/** The sizes of a state's particles, as far as each has its own. */
export function sizesOf({ radii, halves, bulks }: Pick<ParticleState, 'radii' | 'halves' | 'bulks'>): Sizes {
  if (radii.length === 0) return {};
  return halves.length === 0 ? { radii } : { radii, halves, bulks };
}

/** The loops of a search by cells, for particles of one radius. */
export interface Kernels {
  /**
   * Finds the cells of positions and counts them; returns less than 0 where their keys descend. Not whether they do: V8 compiles
   * a loop that runs long with what has run before, and would throw that away at a comparison behind it, call after call.
   */
  place(lattice: Lattice, positions: Float32Array, count: number, placement: Placement): number;
  /** As place, but the keys are those given to the bins, and these are counted. */
  placeInBins(lattice: Lattice, positions: Float32Array, count: number, bins: Bins): number;

  /** Finds pairs slot by slot, through the cells ahead, until `length` is past `stop` or `next` is `end`. */
  collect(task: PairTask, stop: number, end: number): void;
  /** The same by comparing all slots, in the same order, until `length` is past `stop` or slots run out. */
  collectAll(task: PairTask, stop: number): void;
  /** The pairs of one slot with those from `begin` up to `end`, whatever their cells. */
  scan(task: PairTask, slot: number, begin: number, end: number): void;

  /** target[slot] = origin[source[slot]], vectors. */
  gather(origin: Uint32Array, target: Uint32Array, source: Uint32Array, count: number): void;
}
