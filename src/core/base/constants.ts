/**
 * Purpose: every size that the host, the shaders and the CPU twins must agree on. The shader linker turns
 * them into WGSL constants of the same names, so no number stands in two places.
 */

/** Threads a workgroup of every particle pass. 256 is the default limit of WebGPU; less costs occupancy. */
export const WORKGROUP_SIZE = 256;

/** Threads a workgroup of the scan. Few: each adds up the sums of those before it, after a single barrier. */
export const SCAN_WORKGROUP_SIZE = 64;

/** Cells a thread of the scan sums. More means fewer barriers and less parallelism; a multiple of 4. */
export const SCAN_ITEMS = 64;

/** Cells a workgroup of the scan covers. */
export const SCAN_BLOCK = SCAN_WORKGROUP_SIZE * SCAN_ITEMS;

/**
 * Bits of a digit of the radix sort. More means fewer rounds over the keys, and more counters: each thread has one for each
 * value of a digit.
 */
export const RADIX_BITS = 4;
export const RADIX_DIGITS = 2 ** RADIX_BITS;

/** Keys of a thread of the radix sort, in a row. More means fewer counters to scan and less parallelism. */
export const RADIX_RUN = 64;

/** The same two where a processor plays the GPU, which has few threads and room for their counters (bench/NOTES.md). */
export const RADIX_SOFTWARE_BITS = 8;
export const RADIX_SOFTWARE_RUN = 512;

/** What keys are, as shaders/sort/radix.wgsl is told. */
export const KEYS_UNSIGNED = 0;
export const KEYS_SIGNED = 1;
export const KEYS_FLOAT = 2;

/**
 * Cells along x that stay together in the table of the unbounded world. More means fewer probes that cross from
 * one block to the next, and sparse particles less evenly spread; a power of two, HASH_BLOCK_SHIFT its logarithm.
 */
export const HASH_BLOCK = 32;
export const HASH_BLOCK_SHIFT = 5;

/**
 * Particles in a bucket from which on it is crowded, in grids made for crowds: they are put in order by merging, not
 * by counting, which takes the square of their number.
 */
export const CROWDED = 128;

/** Entries of a crowd that a workgroup sorts among each other; a multiple of WORKGROUP_SIZE. */
export const CROWD_TILE = 1024;

/** Entries of a crowd that a first round of merging brings in order: each looks its place up in every tile of them. */
export const CROWD_RUN = 64 * CROWD_TILE;

/**
 * Words before the list in a buffer of crowds: tiles listed, heavy particles listed, and from TILE_DISPATCH and
 * HEAVY_DISPATCH on the arguments of an indirect dispatch over each.
 */
export const CROWD_HEADER = 8;
export const TILE_DISPATCH = 2;
export const HEAVY_DISPATCH = 5;

/** Workgroups that go over the tiles of crowds, or over heavy particles, at most: they stride. */
export const CROWD_WORKGROUPS = 1024;

/**
 * Candidates in a row of cells from which on a particle is heavy, in grids made for crowds: a workgroup goes over its
 * candidates, not a thread. A row has three cells: where none is crowded, nobody is heavy.
 */
export const HEAVY_ROW = 3 * CROWDED;

/** Threads that share one heavy particle. */
export const HEAVY_WORKGROUP_SIZE = 64;

/**
 * Rows of marks, a bit for each id, with which workgroups put the neighbours of heavy particles in order: as many work at a
 * time. Each takes an eighth of a byte a particle.
 */
export const MARK_ROWS = 32;

/** Buckets between those of a grid with levels and those of its finer entries: what is set aside, what leaves, the end. */
export const FINER_BUCKETS = 3;

/** Words before the list of finer entries: the levels that anyone is on. At its end are heavy particles: see heavy_words.wgsl. */
export const FINER_HEADER = 1;

/** Of an entry in the list of finer entries, bits that say the level; the others are the slot. */
export const FINER_LEVEL_BITS = 5;

/** The bit that says there are crowds, in the word of levels that anyone is on. */
export const CROWD_BIT = 31;

/** Threads a workgroup of the measure pass: MEASURE_WORDS words for each must fit 16 KiB of workgroup memory. */
export const MEASURE_WORKGROUP_SIZE = 64;

/** Workgroups of the measure pass at most: the partial sums read back are 4 · MEASURE_WORDS bytes for each. */
export const MEASURE_WORKGROUPS = 1024;

/** Words in one workgroup's partial measures. */
export const MEASURE_WORDS = 19;

/** The bits of the NaN that marks a particle as set aside or removed. */
export const NOT_A_NUMBER = 0x7fc0_0000;

/** The bits of GREATEST_SPEED in core/world/world.ts: bits of positive floats ascend as the floats do. */
export const GREATEST_SPEED_BITS = 0x5780_0000;

/** The pass that counts a list is one thread. */
export const LIST_COUNT_WORKGROUP_SIZE = 1;

/**
 * Cells of a box that one thread searches; of more, a workgroup. Less makes more workgroups for little each, more makes
 * threads that others wait for.
 */
export const FEW_CELLS = 512;

/** Workgroups that take boxes over more cells from a queue, at most: enough to fill a device. */
export const MOST_BOX_WORKGROUPS = 1024;

/**
 * Where the world wraps around, a ray ends after so many periods along any axis. Each hit is held against its images
 * before, so more costs time; and 32-bit floats tell places apart less and less.
 */
export const MOST_PERIODS = 64;

/** Set in the id of a particle that is being removed; so ids stay below it. */
export const RETIRED_BIT = 0x8000_0000;

/** `partner` of a particle that bounces off nobody. */
export const NO_PARTNER = 0xffff_ffff;

/**
 * Words before the list of fast particles: how many there are; the key from which on nothing is settled; how far anybody
 * may move, in diameters; the levels that any of the fast and of the slow are on, where sizes differ. From FLIGHT_FIRST on, of a step: whether no substep is done, and the counters of Flights in
 * core/ccd/law.ts.
 */
export const FLIGHT_PATHS = 0;
export const FLIGHT_UNSETTLED = 1;
export const FLIGHT_FARTHEST = 2;
export const FLIGHT_FAST_LEVELS = 3;
export const FLIGHT_SLOW_LEVELS = 4;
export const FLIGHT_FIRST = 5;
export const FLIGHT_SUBSTEPPED = 6;
export const FLIGHT_SWEPT = 7;
export const FLIGHT_ALL = 8;
export const FLIGHT_HITS = 9;
export const FLIGHT_HELD = 10;
export const FLIGHT_HEADER = 11;

/**
 * Where the arguments of indirect dispatches begin: over paths, over those that are searched, the same in a round, over all
 * particles.
 */
export const PATH_DISPATCH = 0;
export const STILL_DISPATCH = 3;
export const ROUND_DISPATCH = 6;
export const FILE_DISPATCH = 9;
export const FLIGHT_DISPATCHES = 12;

/**
 * Times of paths are whole ticks, so many to a substep, rounded down: one stops the moment before it is too near. So
 * hits that are nearly at the same time, like those of whoever touches several, are at the same time, and how they hit
 * decides, not what rounding makes of them on one device or another.
 */
export const FLIGHT_TICKS = 2 ** 14;

/** Bits of a hit's key below the tick: of how fast two close in, as many of the upper ones of a 32-bit float. */
export const CLOSING_BITS = 17;

/**
 * Parts of a diameter: who moves more than one of them in a substep is fast, and paths end where two overlap by as much. See
 * FAST_SHARE and OVERLAP_SHARE in core/ccd/law.ts.
 */
export const FLIGHT_PARTS = 16;

/** Cells that a piece of a path is long at most: what is searched at once. More means fewer searches of larger boxes. */
export const PIECE_CELLS = 4;

/** Cells that a piece of a path is held against, before it is held against everybody where these are fewer. */
export const ENOUGH_CELLS = 4096;

/** Pieces of a path that are followed at most. */
export const MOST_PIECES = 1024;

/** Lists of paths where cells are hashed, at least: paths pass many cells, however few particles there are. */
export const FEWEST_LISTS = 2 ** 17;

/** In the partner of a path that ends at a wall: its axis, plus this. */
export const WALL_PARTNER = 0xc000_0000;
