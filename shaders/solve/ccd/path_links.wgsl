// The nodes of paths in `links`. Linked with links.wgsl, paths.wgsl and impact.wgsl.
// Needs: links, word_of_node, path_count, followed_pieces.

// Returns the number of nodes per path.
fn room_of_path() -> u32 {
  return (arrayLength(&links) - word_of_node(0u)) / (2u * path_count());
}

// Returns the number of pieces, at most one cell long each, that `link` puts into lists. They cover all followed
// pieces, which are at most PIECE_CELLS cells long each.
fn linked_pieces(cuts: f32) -> u32 {
  return u32(min(cuts, f32(PIECE_CELLS) * followed_pieces(cuts / f32(PIECE_CELLS))));
}

// Returns the first and the last tick of a piece of a path, as the high and the low 16 bits.
fn window_between(since: f32, until: f32) -> u32 {
  return (u32(since * f32(CCD_TICKS)) << 16u) | u32(min(until, 1.0) * f32(CCD_TICKS));
}
