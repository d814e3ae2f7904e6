// Constants for all walks of rays. Goes before one of the path_*.wgsl.

// Beyond everything that a ray can reach.
const FAR_OFF = 0x1p70f;

// The most cells in a piece of a row, if rows are not in pieces anyway. The search for the nearest ball benefits from
// pieces, because after each it can test how near a ball must still be.
#if FIRST
const PIECE = HASH_BLOCK;
#else
const PIECE = 0x7fffffffu;
#endif
