// Constants for the walks of rays. Linked before one of the path_*.wgsl.

// A coordinate beyond everything that a ray can reach.
const FAR_OFF = 0x1p70f;

// The most cells in a piece of a row, for cells whose rows need not be split. The search for the nearest ball benefits
// from short pieces: after each piece, a nearer ball can end the walk.
#if FIRST
const PIECE = HASH_BLOCK;
#else
const PIECE = 0x7fffffffu;
#endif
