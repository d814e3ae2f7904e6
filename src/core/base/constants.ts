/**
 * Numbers that the host, the shaders and their CPU references must agree on. The shader linker turns them into WGSL
 * constants of the same names, so each number is written once. Whole numbers get the type u32 in WGSL, others f32.
 */

/** Threads per workgroup of most passes. 256 is WebGPU's default limit; fewer threads lower the occupancy. */
export const WORKGROUP_SIZE = 256;

/** Threads per workgroup of the scan. There are few, because each adds up the sums of all threads before it. */
export const SCAN_WORKGROUP_SIZE = 64;

/**
 * One thread of the scan adds up the counts of this many cells, a multiple of 4. A higher value means fewer barriers
 * but less parallelism.
 */
export const SCAN_ITEMS = 64;

/** Cells that one workgroup of the scan covers. */
export const SCAN_BLOCK = SCAN_WORKGROUP_SIZE * SCAN_ITEMS;

/**
 * Bits per digit of the radix sort. More bits mean fewer rounds over the keys but more counters: each thread has one
 * counter per value of a digit.
 */
export const RADIX_BITS = 4;
export const RADIX_DIGITS = 2 ** RADIX_BITS;

/** Consecutive keys per thread of the radix sort. A higher value means fewer counters to scan but less parallelism. */
export const RADIX_RUN = 64;

/** Kinds of sort keys. shaders/sort/radix.wgsl compares with these numbers. */
export const KEYS_UNSIGNED = 0;
export const KEYS_SIGNED = 1;
export const KEYS_FLOAT = 2;

/**
 * Cells along x that share a block of the hashed table of an unbounded world; a power of two. With larger blocks, fewer
 * probes cross from one block to the next, but sparse particles are spread less evenly.
 */
export const HASH_BLOCK = 32;

/**
 * Cells of an unbounded world reach this many cells from the origin. Positions farther out, where floats are coarser
 * than cells, share the last cell.
 */
export const FARTHEST_CELL = 2 ** 30;

/** Base-2 logarithm of HASH_BLOCK. */
export const HASH_BLOCK_SHIFT = 5;

/**
 * In a world with `crowds` (worlds with levels always have it), a bucket with more particles than this is crowded.
 * Crowded buckets are ordered by merging, because ordering by counting would take quadratic time.
 */
export const CROWDED = 128;

/** Entries of a crowd that one workgroup sorts; a multiple of WORKGROUP_SIZE. */
export const CROWD_TILE = 1024;

/**
 * Entries of a run: the part of a crowd that the first merge round orders. Each entry looks up its rank in every tile
 * of its run.
 */
export const CROWD_RUN = 64 * CROWD_TILE;

/**
 * Words before the list in a buffer of crowds:
 *   - the number of listed tiles
 *   - the number of listed heavy particles
 *   - from TILE_DISPATCH on, the arguments of an indirect dispatch over tiles
 *   - from HEAVY_DISPATCH on, the arguments of an indirect dispatch over heavy particles
 */
export const CROWD_HEADER = 8;
export const TILE_DISPATCH = 2;
export const HEAVY_DISPATCH = 5;

/**
 * Greatest number of workgroups in a dispatch over tiles of crowds or over heavy particles. If there are more tiles or
 * particles, the workgroups loop.
 */
export const CROWD_WORKGROUPS = 1024;

/**
 * In a world with `crowds`, a particle is heavy if a row of cells around it holds more candidates than this. In loops
 * over layers of three rows, the limit is three times this number per layer. A whole workgroup tests the candidates of
 * a heavy particle. A row of three cells exceeds this number only if one of the cells is crowded.
 */
export const HEAVY_ROW = 3 * CROWDED;

/** Threads that share one heavy particle. */
export const HEAVY_WORKGROUP_SIZE = 64;

/**
 * Greatest number of workgroups that order the neighbours of heavy particles at the same time. Each needs a mark row of
 * its own: an array with one bit per id.
 */
export const MARK_ROWS = 32;

/**
 * In a grid with levels, `start` has this many entries between the buckets of cells and those of finer entries. They
 * are for quarantined particles, for removed particles, and for the end.
 */
export const FINER_BUCKETS = 3;

/**
 * Words before the list of finer entries: one word with a bit per occupied level and CROWD_BIT. The end of the same
 * buffer holds the heavy particles: see heavy_words.wgsl.
 */
export const FINER_HEADER = 1;

/** Bits of a finer entry that hold its level; the other bits hold the slot. */
export const FINER_LEVEL_BITS = 5;

/** The bit of the FINER_HEADER word that is set if anything is crowded. */
export const CROWD_BIT = 31;

/**
 * Threads per workgroup of the measure pass. The MEASURE_WORDS words of all threads must fit 16 KiB of workgroup
 * memory.
 */
export const MEASURE_WORKGROUP_SIZE = 64;

/** Greatest number of workgroups of the measure pass. The host reads back 4 · MEASURE_WORDS bytes per workgroup. */
export const MEASURE_WORKGROUPS = 1024;

/** Words of partial measures per workgroup. */
export const MEASURE_WORDS = 19;

/** A GPU may flush smaller 32-bit floats to 0. */
export const SMALLEST_NORMAL = 2 ** -126;

/** Bits of the NaN that marks a particle as quarantined or removed. */
export const NOT_A_NUMBER = 0x7fc0_0000;

/** Bits of the float GREATEST_SPEED (core/world/limits.ts). Positive floats compare like their bits as integers. */
export const GREATEST_SPEED_BITS = 0x5780_0000;

/** Kernels that only write counters or the arguments of dispatches run on one thread. */
export const LIST_COUNT_WORKGROUP_SIZE = 1;

/**
 * One thread searches a query box over at most this many cells; a workgroup searches a larger one. A lower value starts
 * workgroups with little work. With a higher value, a few slow threads delay all others.
 */
export const FEW_CELLS = 512;

/**
 * In a periodic world a ray ends after this many periods along any axis. Longer rays would take much time, and 32-bit
 * floats resolve far positions poorly.
 */
export const MOST_PERIODS = 64;

/** Set in the id of a particle that is being removed. All other ids are below it. */
export const RETIRED_BIT = 0x8000_0000;

/** The `partner` of a particle that does not bounce. */
export const NO_PARTNER = 0xffff_ffff;

/** The number of fast particles. CCD_HEADER words, of which this is the first, precede the list of these particles. */
export const CCD_PATHS = 0;
/** The lowest key among the ends of paths that are not settled. Keys order ends by time: see CLOSING_BITS. */
export const CCD_UNSETTLED = 1;
/** An upper bound of how far any particle moves in a step, in its own diameters. The word is a 32-bit float. */
export const CCD_FARTHEST = 2;
/** With variable radii: bits for the levels of fast particles, and for the levels of slow ones. */
export const CCD_FAST_LEVELS = 3;
export const CCD_SLOW_LEVELS = 4;
/**
 * 1 until the first substep of a step has listed its paths. This word and the words after it are reset once per step;
 * the words before it are reset in every substep.
 */
export const CCD_FIRST = 5;
/** The ContinuousCounts of core/ccd/law.ts; CCD_ALL is `paths`. */
export const CCD_SUBSTEPPED = 6;
export const CCD_SWEPT = 7;
export const CCD_ALL = 8;
export const CCD_HITS = 9;
export const CCD_HELD = 10;
export const CCD_HEADER = 11;

/** First word of the arguments of an indirect dispatch with one thread per path. Each dispatch has three words. */
export const PATH_DISPATCH = 0;
/**
 * The search for slow particles and obstacles that paths hit. With variable radii, a workgroup follows each path
 * instead of a thread.
 */
export const STILL_DISPATCH = 3;
/** A round, which searches for fast particles that hit each other, with the threads of STILL_DISPATCH. */
export const ROUND_DISPATCH = 6;
/** One thread per particle. */
export const FILE_DISPATCH = 9;
/**
 * Ticks per substep. Times along paths are whole ticks, rounded down, so a path ends just before the overlap is too
 * deep. Hits at almost the same time, such as those of a particle that touches several others, get the same tick. So
 * their closing speeds decide which hit comes first, not the rounding of a device.
 */
export const CCD_TICKS = 2 ** 14;

/**
 * A hit's key is a number: its tick, then this many bits for the closing speed. These bits are 2^CLOSING_BITS − 1 minus
 * the upper bits of the speed as a 32-bit float. So if two hits have the same tick, the faster one has the lower key.
 */
export const CLOSING_BITS = 17;

/**
 * Greatest length of a piece of a path, in cells. One search covers one piece, so longer pieces mean fewer searches of
 * larger boxes.
 */
export const PIECE_CELLS = 4;

/**
 * Some pieces of paths cover more cells than this and more cells than there are particles. Such a piece is compared
 * with every particle instead.
 */
export const ENOUGH_CELLS = 4096;

/** Greatest number of pieces per path. A longer path is held at the end of its last followed piece. */
export const MOST_PIECES = 1024;

/** Greatest number of pieces per tick. A path with more is held at its start. */
export const PIECES_PER_TICK = 16;

/**
 * Least size, in lists, of the hash table of an unbounded world that lists the paths through each cell
 * (solve/ccd/link.wgsl). Even a few paths may pass many cells.
 */
export const FEWEST_LISTS = 2 ** 17;

/** The partner of a path that ends at a wall is this number plus the axis of the wall. */
export const WALL_PARTNER = 0xc000_0000;

/** Share of the overlap that a bounce removes. If it were 1, rounding would decide whether bodies still overlap. */
export const BOUNCE_PUSH = 31 / 32;

/** Up to this load, 32-bit floats hold 1 + load almost exactly. */
export const MOST_LOAD = 2 ** 24;

/** A load counts this share of the bearing, so that rounding of the two sums gives no load. */
export const LOAD_KEPT = 1 - 2 ** -20;

/** With a restSpeed up to this, there are no loads: a quotient by it could overflow. */
export const LEAST_REST_SPEED = 2 ** -64;

/**
 * Below this squared distance the direction from one centre to the other is rounding noise. A contact then has the
 * direction of an axis.
 */
export const COINCIDENT_SQUARED = 2 ** -100;

/** Centres nearer than this along an axis count as having the same coordinate. */
export const NOT_APART = 2 ** -50;

/** The two seeds of the state hash: see core/state/hash.ts. */
export const HASH_SEED_LOW = 0x9e37_79b9;
export const HASH_SEED_HIGH = 0x85eb_ca6b;
