/**
 * Every size that the host, the shaders and their CPU references must agree on. The shader linker turns these into WGSL
 * constants of the same names, so each number is written once.
 */

/** Threads per workgroup of every particle pass. 256 is WebGPU's default limit; fewer threads lower the occupancy. */
export const WORKGROUP_SIZE = 256;

/** Threads per workgroup of the scan. Few, because each adds up the sums of all threads before it after one barrier. */
export const SCAN_WORKGROUP_SIZE = 64;

/** Cells that one thread of the scan sums; a multiple of 4. More means fewer barriers and less parallelism. */
export const SCAN_ITEMS = 64;

/** Cells that one workgroup of the scan covers. */
export const SCAN_BLOCK = SCAN_WORKGROUP_SIZE * SCAN_ITEMS;

/**
 * Bits per digit of the radix sort. More bits mean fewer rounds over the keys and more counters, since each thread has
 * one counter per value of a digit.
 */
export const RADIX_BITS = 4;
export const RADIX_DIGITS = 2 ** RADIX_BITS;

/** Consecutive keys per thread of the radix sort. More means fewer counters to scan and less parallelism. */
export const RADIX_RUN = 64;

/** Bits and run on software GPUs, which have few threads and room for more counters (measured in bench/NOTES.md). */
export const RADIX_SOFTWARE_BITS = 8;
export const RADIX_SOFTWARE_RUN = 512;

/** Kinds of keys, as shaders/sort/radix.wgsl expects them. */
export const KEYS_UNSIGNED = 0;
export const KEYS_SIGNED = 1;
export const KEYS_FLOAT = 2;

/**
 * Cells along x that stay together in the hashed table of the unbounded world; a power of two, with HASH_BLOCK_SHIFT as
 * its logarithm. More means fewer probes that cross from one block to the next, but sparse particles are spread less
 * evenly.
 */
export const HASH_BLOCK = 32;
export const HASH_BLOCK_SHIFT = 5;

/**
 * A bucket is crowded from this many particles on, if the grid was created with `crowds`. Crowded buckets are ordered
 * by merging, because counting takes the square of their number.
 */
export const CROWDED = 128;

/** Entries of a crowd that one workgroup sorts; a multiple of WORKGROUP_SIZE. */
export const CROWD_TILE = 1024;

/** Entries of a crowd that the first merge round orders: each entry looks up its rank in every tile of the run. */
export const CROWD_RUN = 64 * CROWD_TILE;

/**
 * Words before the list in a buffer of crowds: the number of listed tiles, the number of listed heavy particles, and
 * the arguments of an indirect dispatch over each, at TILE_DISPATCH and HEAVY_DISPATCH.
 */
export const CROWD_HEADER = 8;
export const TILE_DISPATCH = 2;
export const HEAVY_DISPATCH = 5;

/** Most workgroups that go over the tiles of crowds, or over heavy particles; beyond that, they loop. */
export const CROWD_WORKGROUPS = 1024;

/**
 * A particle is heavy if one of its rows of cells has this many candidates, in grids created with `crowds`. A whole
 * workgroup then goes over its candidates instead of one thread. A row has three cells, so without a crowded cell no
 * particle is heavy.
 */
export const HEAVY_ROW = 3 * CROWDED;

/** Threads that share one heavy particle. */
export const HEAVY_WORKGROUP_SIZE = 64;

/**
 * Rows of marks, with one bit per id, in which workgroups put the neighbours of heavy particles in order. So many
 * workgroups run at a time. Each row takes an eighth of a byte per particle.
 */
export const MARK_ROWS = 32;

/** Buckets between those of a grid with levels and those of its finer entries: quarantined, removed, and the end. */
export const FINER_BUCKETS = 3;

/**
 * Words before the list of finer entries: the occupied levels. Heavy particles are at its end: see heavy_words.wgsl.
 */
export const FINER_HEADER = 1;

/** Bits that hold the level in an entry of the list of finer entries; the other bits hold the slot. */
export const FINER_LEVEL_BITS = 5;

/** In the word of occupied levels, the bit that says that there are crowds. */
export const CROWD_BIT = 31;

/** Threads per workgroup of the measure pass: MEASURE_WORDS words per thread must fit 16 KiB of workgroup memory. */
export const MEASURE_WORKGROUP_SIZE = 64;

/** Most workgroups of the measure pass; the host reads back 4 · MEASURE_WORDS bytes of partial sums for each. */
export const MEASURE_WORKGROUPS = 1024;

/** Words in one workgroup's partial measures. */
export const MEASURE_WORDS = 19;

/** Bits of the NaN that marks a particle as quarantined or removed. */
export const NOT_A_NUMBER = 0x7fc0_0000;

/** Bits of GREATEST_SPEED in core/world/limits.ts. The bits of positive floats ascend as the floats do. */
export const GREATEST_SPEED_BITS = 0x5780_0000;

/** The pass that counts a list runs on one thread. */
export const LIST_COUNT_WORKGROUP_SIZE = 1;

/**
 * A query box over at most this many cells is searched by one thread, a larger one by a workgroup. A lower value makes
 * workgroups with little work each; a higher one makes threads that the others wait for.
 */
export const FEW_CELLS = 512;

/** Most workgroups that take larger query boxes from a queue: enough to fill a device. */
export const MOST_BOX_WORKGROUPS = 1024;

/**
 * In a periodic world a ray ends after this many periods along any axis. Each hit is compared with its earlier images,
 * so more periods cost time, and 32-bit floats resolve far positions less and less.
 */
export const MOST_PERIODS = 64;

/** Bit that is set in the id of a particle that is being removed, so ids stay below it. */
export const RETIRED_BIT = 0x8000_0000;

/** `partner` of a particle that bounces off nothing. */
export const NO_PARTNER = 0xffff_ffff;

/**
 * Words before the list of fast particles: their number; the first key that is not settled; how far any particle may
 * move, in diameters; the levels that fast and slow particles occupy, if radii vary. From CCD_FIRST on, per step:
 * whether no substep is done, and the counters of ContinuousCounts in core/ccd/law.ts.
 */
export const CCD_PATHS = 0;
export const CCD_UNSETTLED = 1;
export const CCD_FARTHEST = 2;
export const CCD_FAST_LEVELS = 3;
export const CCD_SLOW_LEVELS = 4;
export const CCD_FIRST = 5;
export const CCD_SUBSTEPPED = 6;
export const CCD_SWEPT = 7;
export const CCD_ALL = 8;
export const CCD_HITS = 9;
export const CCD_HELD = 10;
export const CCD_HEADER = 11;

/**
 * First words of the arguments of indirect dispatches: over paths, over searched paths, over searched paths in a round,
 * and over all particles.
 */
export const PATH_DISPATCH = 0;
export const STILL_DISPATCH = 3;
export const ROUND_DISPATCH = 6;
export const FILE_DISPATCH = 9;
export const CCD_DISPATCHES = 12;

/**
 * Ticks per substep. Times along paths are whole ticks, rounded down, so a particle stops just before it is too near.
 * Hits at almost the same time, such as those of a particle that touches several others, get the same tick. The way
 * they hit then decides, and not how one device or another rounds.
 */
export const CCD_TICKS = 2 ** 14;

/** Bits of a hit's key below the tick: the upper bits of the closing speed as a 32-bit float. */
export const CLOSING_BITS = 17;

/**
 * Parts of a diameter: a particle that moves more than one part in a substep is fast, and a path ends where two
 * particles overlap by one part. See FAST_SHARE and OVERLAP_SHARE in core/ccd/law.ts.
 */
export const CCD_PARTS = 16;

/** Length in cells of a piece of a path, which is searched at once. More means fewer searches of larger boxes. */
export const PIECE_CELLS = 4;

/**
 * Most cells to search for a piece of a path. Beyond that, the piece is compared with every particle if these are
 * fewer.
 */
export const ENOUGH_CELLS = 4096;

/** Most pieces of one path that are followed. */
export const MOST_PIECES = 1024;

/** Least number of path lists if cells are hashed: paths pass many cells, however few particles there are. */
export const FEWEST_LISTS = 2 ** 17;

/** The partner of a path that ends at a wall is this plus the wall's axis. */
export const WALL_PARTNER = 0xc000_0000;
