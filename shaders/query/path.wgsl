// Constants for rays.

// A coordinate beyond everything that a ray can reach.
const FAR_OFF = 0x1p70f;

// The most cells in a piece of a row in a dense grid. With FIRST, pieces are short, because the walk can end after any
// piece in which the ray meets a ball.
#if FIRST
const PIECE = HASH_BLOCK;
#else
const PIECE = 0x7fffffffu;
#endif
