/** The types of worlds: the options that a caller passes, and the world that world.ts makes of them. */
export type Dimensions = 2 | 3;

export type WorldKind = 'bounded' | 'periodic' | 'unbounded';

/** Options for a box (periodic or not) or for an unbounded world. Lengths are in the caller's own unit. */
export interface WorldOptions {
  readonly dimensions: Dimensions;
  /** Opposite corners of the box. */
  readonly min?: readonly number[] | undefined;
  readonly max?: readonly number[] | undefined;
  /** True for a periodic axis: one value for all axes, or one per axis. Default false. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** True if there is no box: a position may be any finite 32-bit float. Default false. */
  readonly unbounded?: boolean | undefined;
  /** Edge of a cell. At least the diameter, which is the default. Unbounded worlds round it up to a power of two. */
  readonly cellSize?: number | undefined;
  /**
   * True to split the work on crowded cells among threads, so that no thread handles a whole crowded cell. This takes 4
   * bytes per particle, and some extra time if no cell is crowded. The CPU engine ignores it. Default false.
   */
  readonly crowds?: boolean | undefined;
}

export interface World {
  readonly kind: WorldKind;
  readonly dimensions: Dimensions;
  /**
   * Corners, rounded to 32-bit floats. In an unbounded world, all components are the lowest or the greatest finite
   * float.
   */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Length of the box along periodic axes, 0 along the others. */
  readonly period: readonly number[];
  /** Largest diameter of particles: the 3×3 (3×3×3) probe misses no pair that is nearer than this. */
  readonly diameter: number;
  /** The actual edge of a cell, `1 / inverseCellSize`. It is at least the requested edge, up to rounding. */
  readonly cellSize: number;
  readonly inverseCellSize: number;
  /**
   * Cells along each axis; 0 in an unbounded world. Without levels, a non-periodic axis has one more cell at each end,
   * which stays empty. Thanks to this ring, a probe needs no test for the border.
   */
  readonly cells: readonly number[];
  /** Number of all cells. In an unbounded world, the number of buckets, a power of two. */
  readonly cellCount: number;
  /** True if kernels split the work on crowded cells. */
  readonly crowds: boolean;
  /**
   * Number of cell levels if each particle has its own radius (see core/world/levels.ts); 0 if all radii are equal.
   * With levels, `inverseCellSize`, `cellSize` and `cells` describe the lowest level, which has no ring.
   */
  readonly levels: number;
  /** Largest diameter on the lowest level, a power of two; 0 if all radii are equal. */
  readonly baseDiameter: number;
  /** True if particles may be boxes; only with levels. */
  readonly boxes: boolean;
  /** First bucket of each level if the world is a box with levels; otherwise empty. */
  readonly levelStarts: readonly number[];
}

/** The radii that a grid accepts if each particle has its own. */
export interface RadiusRange {
  readonly smallest: number;
  readonly largest: number;
}
