// Constants for the walks of rays. Linked before one of the path_*.wgsl.

// A coordinate beyond everything that a ray can reach.
const FAR_OFF = 0x1p70f;

// The greatest number of cells in a piece of a row, in a dense grid. (path_blocks.wgsl splits the rows of hashed
// cells.) With FIRST, rays search for the nearest ball, and short pieces help: after each piece, a ball met so far can
// end the walk.
#if FIRST
const PIECE = HASH_BLOCK;
#else
const PIECE = 0x7fffffffu;
#endif
