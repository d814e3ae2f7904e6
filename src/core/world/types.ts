/** 2 for discs in the plane, 3 for balls in space. */
export type Dimensions = 2 | 3;

/** The kinds of worlds: a box, a box with periodic axes, or all of space. */
export type WorldKind = 'bounded' | 'periodic' | 'unbounded';

/** Options for a box (periodic or not) or for an unbounded world. Lengths are in your own unit. */
export interface WorldOptions {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Low corner of the box; left out in an unbounded world. */
  readonly min?: readonly number[] | undefined;
  /** High corner of the box; left out in an unbounded world. */
  readonly max?: readonly number[] | undefined;
  /** True for a periodic axis: one value for all axes, or one per axis. Default: false. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** True if there is no box: a position may be any finite 32-bit float. Default: false. */
  readonly unbounded?: boolean | undefined;
  /**
   * Edge of a cell, at least the diameter and at most 2^61. Unbounded worlds round it up to a power of two. If radii
   * vary, this is the least edge on the lowest level, from 2^-40 to 2^60; sizes above the largest diameter have no
   * further effect. Default: the diameter; if radii vary, it depends on the radii, the capacity and the box.
   */
  readonly cellSize?: number | undefined;
  /**
   * True to split the work on crowded cells among threads. This takes 4 bytes per particle, and some time even if no
   * cell is crowded. The CPU engine ignores this option. Default: false; always true if radii vary.
   */
  readonly crowds?: boolean | undefined;
}

/** A world and its cells. Frozen. */
export interface World {
  /** Whether the world is a box, a box with periodic axes, or unbounded. */
  readonly kind: WorldKind;
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Low corner, rounded to 32-bit floats. In an unbounded world, the lowest finite float along each axis. */
  readonly min: readonly number[];
  /** High corner, rounded to 32-bit floats. In an unbounded world, the greatest finite float along each axis. */
  readonly max: readonly number[];
  /** Length of the box along periodic axes, 0 along the others. */
  readonly period: readonly number[];
  /**
   * Largest diameter of particles. Without levels, two particles nearer than this are in the same or in adjacent cells.
   */
  readonly diameter: number;
  /** Smallest diameter of particles. */
  readonly smallestDiameter: number;
  /** The actual edge of a cell. Without levels, it is at least the requested edge, up to rounding. */
  readonly cellSize: number;
  /** 1 / `cellSize`, a 32-bit float. */
  readonly inverseCellSize: number;
  /**
   * Cells along each axis; 0 in an unbounded world. Without levels, this includes the ring: an empty cell at each end
   * of a non-periodic axis.
   */
  readonly cells: readonly number[];
  /** Number of all cells; in an unbounded world, the number of buckets (without levels, a power of two). */
  readonly cellCount: number;
  /** True if kernels split the work on crowded cells. */
  readonly crowds: boolean;
  /**
   * Number of cell levels if radii vary; 0 if all are equal. With levels, `inverseCellSize`, `cellSize` and `cells`
   * describe the lowest level, which has no ring. In an unbounded world, the GPU may merge the lowest levels.
   */
  readonly levels: number;
  /** Largest diameter on the lowest level, a power of two; 0 if all radii are equal. */
  readonly baseDiameter: number;
  /** True if particles may be boxes. */
  readonly boxes: boolean;
  /** First bucket of each level; empty without levels. */
  readonly levelStarts: readonly number[];
  /** In an exact simulation on the GPU: the shader modules that take the place of those for floats. @internal */
  readonly exact?: ExactModules;
}

/** Shader modules of exact simulations. The first such simulation loads them. */
export type ExactModules = Readonly<
  Record<
    'world' | 'contact' | 'integrate' | 'measure' | 'obstacles' | 'partner' | 'resolve',
    readonly { readonly name: string; readonly text: string }[]
  >
>;

/** The radii that a grid or a simulation accepts if each particle has its own radius. They are from 2^-41 to 2^59. */
export interface RadiusRange {
  /** The smallest radius. */
  readonly smallest: number;
  /** The largest radius. */
  readonly largest: number;
}
