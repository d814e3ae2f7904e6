// What all walks of rays have in common; before one of the path_*.wgsl.

// Beyond everything that a ray can reach.
const FAR_OFF = 0x1p70f;

// Cells of a piece of a row at most, where rows are not in pieces anyway: in the search for the nearest ball it pays to ask
// in between how near it must be.
#if FIRST
const PIECE = HASH_BLOCK;
#else
const PIECE = 0x7fffffffu;
#endif
