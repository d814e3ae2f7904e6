/**
 * Numbers that the host, shaders and references share. The linker turns them into WGSL constants of the same names:
 * whole numbers into u32, others into f32.
 */

/** Threads per workgroup of most passes: the most that WebGPU guarantees. */
export const WORKGROUP_SIZE = 256;

/** Number of counts that a workgroup of the scan takes at a time: 16 per thread. */
export const SCAN_BLOCK = 16 * WORKGROUP_SIZE;

/**
 * Cells along x that stay together in the hashed table, a power of two. With larger blocks, fewer probes cross blocks,
 * but sparse particles spread less evenly.
 */
export const HASH_BLOCK = 32;

/** Cells of an unbounded world reach this many cells from the origin. Positions farther out share the last cell. */
export const FARTHEST_CELL = 2 ** 30;

export const HASH_BLOCK_SHIFT = 5;

/**
 * Buckets from a cell to the next one along y (ROW_STEP) and along z (LAYER_STEP), modulo the size of the table. These
 * are for the tables of levels in unbounded worlds. Cells that share a bucket are nearly as far apart as possible, for
 * every table of 2⁹ to 2²⁷ buckets.
 */
export const ROW_STEP = 0x2922508f;
export const LAYER_STEP = 0xc46f7177;

/** The table of the lowest level is 2^TABLE_SHIFT times as long as the tables of the other levels. */
export const TABLE_SHIFT = 3;

/**
 * Greatest number of workgroups in a dispatch over a list whose length only the GPU knows. Workgroups loop over longer
 * lists. This number is enough to fill a device, yet small enough that a dispatch over an empty list takes little time.
 */
export const LOOPING_WORKGROUPS = 1024;

/**
 * A bucket with more particles than this is crowded. With the option `crowds`, the GPU sorts crowded buckets by
 * merging, because ranking each id by comparing it with all others takes quadratic time.
 */
export const CROWDED = 128;

/** Entries per tile, the part of a crowd that one workgroup sorts. A multiple of WORKGROUP_SIZE. */
export const CROWD_TILE = 1024;

/** Entries per sorted run of a crowd after the first of two merge rounds. */
export const CROWD_RUN = 64 * CROWD_TILE;

/**
 * Words before the list in a buffer of crowds: the numbers of tiles and of heavy particles, then the arguments of an
 * indirect dispatch over each (TILE_DISPATCH, HEAVY_DISPATCH).
 */
export const CROWD_HEADER = 8;
export const TILE_DISPATCH = 2;
export const HEAVY_DISPATCH = 5;

/**
 * A particle is heavy if a row of cells around it holds more candidates than this. Loops that take three rows at a time
 * compare the candidates of all three with three times this number. A row of three cells exceeds this number only if a
 * cell is crowded.
 */
export const HEAVY_ROW = 3 * CROWDED;

export const HEAVY_WORKGROUP_SIZE = 64;

/** Greatest number of workgroups that order neighbours of heavy particles at once; each needs one bit per id. */
export const MARK_ROWS = 32;

/**
 * In a world with levels, the number of words of `start` between those of cells and those of finer entries: one for the
 * quarantine, one for removed particles and one for the end.
 */
export const FINER_BUCKETS = 3;

/**
 * The finer entries of a cell stand for particles at least this many levels below the cell. Particles one level below
 * need no entries, because a probe also searches the cells of that level.
 */
export const FINER_STEPS = 2;

/** Number of words before the entries of `finer`. This one word has a bit per occupied level, and CROWD_BIT. */
export const FINER_HEADER = 1;

/** Index of the bit that is set if any bucket is crowded. */
export const CROWD_BIT = 31;

/** Threads per workgroup of the measure pass. MEASURE_WORDS words per thread must fit 16 KiB of workgroup memory. */
export const MEASURE_WORKGROUP_SIZE = 64;

/** Greatest number of workgroups of the measure pass. The host reads back a result of each. */
export const MEASURE_WORKGROUPS = 1024;

export const MEASURE_WORDS = 19;

/** The smallest normal 32-bit float. A GPU may flush smaller magnitudes to 0. */
export const SMALLEST_NORMAL = 2 ** -126;

/** Bits of the NaN that engines store, for example as the position of a removed particle: hashes need equal bits. */
export const NOT_A_NUMBER = 0x7fc0_0000;

export const GREATEST_SPEED_BITS = 0x5780_0000;

export const LIST_COUNT_WORKGROUP_SIZE = 1;

/** In a periodic world, a ray ends after this many periods along any axis. Longer searches are slow and inaccurate. */
export const MOST_PERIODS = 64;

/** This bit is set in the id of a particle that is being removed; all other ids are below it. */
export const RETIRED_BIT = 0x8000_0000;

export const NO_PARTNER = 0xffff_ffff;

/**
 * Indices of words in the buffer `counters` of the ccd passes, up to CCD_HELD. The list of fast particles begins at
 * word CCD_HEADER; word CCD_PATHS holds their number.
 */
export const CCD_PATHS = 0;
/** The lowest key among the ends that are not settled. CLOSING_BITS explains keys. */
export const CCD_UNSETTLED = 1;
/** A 32-bit float: a bound on how far any particle moves in a step without contacts, in diameters of the particle. */
export const CCD_FARTHEST = 2;
/** With variable radii: a word with a bit per level that has fast particles, and a word for levels with slow ones. */
export const CCD_FAST_LEVELS = 3;
export const CCD_SLOW_LEVELS = 4;
/** The number of paths that the next round follows: 0 once a round has changed nothing. */
export const CCD_FOLLOWED = 5;
/**
 * 1 until the first substep has listed its paths. This word and those after it are reset once per step, the others in
 * every substep.
 */
export const CCD_FIRST = 6;
/** The ContinuousCounts (core/ccd/law.ts). CCD_ALL holds `paths`. */
export const CCD_SUBSTEPPED = 7;
export const CCD_SWEPT = 8;
export const CCD_ALL = 9;
export const CCD_HITS = 10;
export const CCD_HELD = 11;
export const CCD_HEADER = 12;

/** First word of a dispatch with one thread per path, but at most LOOPING_WORKGROUPS workgroups. */
export const PATH_DISPATCH = 0;
/**
 * First word of the dispatch that searches for slow particles and obstacles on paths: one thread per path or, with
 * variable radii, one workgroup.
 */
export const STILL_DISPATCH = 3;
/** First word of the dispatch that searches for hits between fast particles, as large as that of STILL_DISPATCH. */
export const ROUND_DISPATCH = 6;
/** First word of a dispatch with one thread per particle. */
export const FILE_DISPATCH = 9;
/** Share of a diameter. A particle that moves farther in a substep is fast; the contact law can handle slower ones. */
export const FAST_SHARE = 1 / 16;

/** Ticks per substep. Times are rounded down to ticks, so a path ends just before the overlap is too deep. */
export const CCD_TICKS = 2 ** 14;

/**
 * A hit's key is its tick, followed by this many bits: the complement of the upper bits of the closing speed, a 32-bit
 * float without its sign bit. So of two hits in one tick, the faster one has the lower key.
 */
export const CLOSING_BITS = 17;

/** Greatest length of a piece of a path, in cells. Longer pieces mean fewer searches, but larger boxes. */
export const PIECE_CELLS = 4;

/**
 * With variable radii, the GPU searches the cells around a piece of a path. If these cells are more than ENOUGH_CELLS
 * and more than the particles to test, the GPU tests all these particles instead.
 */
export const ENOUGH_CELLS = 4096;

/** Greatest number of pieces per path. A longer path is held at the end of its last followed piece. */
export const MOST_PIECES = 1024;

/** Greatest number of pieces per tick. A path with more is held at its start. */
export const PIECES_PER_TICK = 16;

/** Least number of lists of paths in the hash table of an unbounded world: even a few paths may pass many cells. */
export const FEWEST_LISTS = 2 ** 17;

/** If a path ends at a wall, its partner is this number plus the wall's axis. */
export const WALL_PARTNER = 0xc000_0000;

/**
 * Share of the overlap that a bounce or an obstacle removes. If it were 1, rounding would decide whether the bodies
 * still overlap.
 */
export const BOUNCE_PUSH = 31 / 32;

/**
 * Factor on the part of a push that gives no speed (contact/law.ts). A larger factor could make an otherwise
 * stable pile oscillate.
 */
export const FREE_PUSH = 3 / 2;

/**
 * If two bodies of one size part at the speed s, a push gives each at most pushSpeed − PARTING · s / 2
 * (contact/law.ts). With more, bodies that are pressed together may keep moving; with less, overlaps give more speed.
 */
export const PARTING = 2;

/** The sum of changes is limited if an overlap exceeds 1/DEEP of the smaller body's diameter (contact/law.ts). */
export const DEEP = 16;

/**
 * Particles of one radius also push each other aside if an overlap exceeds ASIDE_FROM / DEEP of a diameter
 * (contact/law.ts). With 2, piles move more; with 4, rows keep deeper overlaps.
 */
export const ASIDE_FROM = 3;

/**
 * Number of periods of the wave `side` (contact/law.ts) per 1/DEEP of a diameter. 32-bit floats hold this number
 * exactly.
 */
export const ASIDE_WAVES = 7 / 64;

/**
 * The sum of changes is also limited if a push gives each of two equal bodies more than pushSpeed / STRAIN, beyond what
 * ends their approach (contact/law.ts). With 8, piles of discs overlap more; with 4, overlaps give more speed.
 */
export const STRAIN = 6;

/**
 * If a push gives more than (SATURATED + 1) / STRAIN of pushSpeed, a particle loses speed that pushes take back as
 * motion (contact/law.ts).
 */
export const SATURATED = 3;

/**
 * In deep overlaps, the limit on the sum of changes is at least this factor times the change that ends the fastest
 * approach (contact/law.ts). With less, a crowd spreads slowly; with more than 1.3, its energy may grow.
 */
export const SPREADING = 41 / 32;

/** Greatest load (contact/law.ts). Up to this load, 32-bit floats hold 1 + load almost exactly. */
export const MOST_LOAD = 2 ** 24;

/** Factor on B in the formula of the load (contact/law.ts). Slightly below 1, so that rounding alone gives no load. */
export const LOAD_KEPT = 1 - 2 ** -20;

/**
 * Factor in the formula of the load (contact/law.ts). It is a power of two, so that products with it are exact.
 * restSpeed is proportional to REST_LOAD, so a particle that carries its own weight has load 1, whatever REST_LOAD is.
 */
export const REST_LOAD = 4;

/** If restSpeed is at most this, all loads are 0, because a division by restSpeed could overflow. */
export const LEAST_REST_SPEED = 2 ** -62;

/** Below this squared distance, directions are rounding noise, and the normal is an axis instead. */
export const COINCIDENT_SQUARED = 2 ** -100;

/** Centres nearer than this along an axis count as having the same coordinate. */
export const NOT_APART = 2 ** -50;

export const HASH_SEED_LOW = 0x9e37_79b9;
export const HASH_SEED_HIGH = 0x85eb_ca6b;
