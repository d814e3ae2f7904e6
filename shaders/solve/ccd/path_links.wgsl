// Helpers for the nodes in `links`. A node stands for one piece of a path, in the list of one cell (links.wgsl).
// Needs: links, word_of_node, path_count, followed_pieces.

fn room_of_path() -> u32 {
  return (arrayLength(&links) - word_of_node(0u)) / (2u * path_count());
}

// Returns how many pieces of a path get nodes, if the whole path is `cuts` pieces of at most one cell. The searches use
// longer pieces, of up to PIECE_CELLS cells, and may give up before the end of the path. The nodes go as far as the
// searches.
fn linked_pieces(cuts: f32) -> u32 {
  return u32(min(cuts, f32(PIECE_CELLS) * followed_pieces(cuts / f32(PIECE_CELLS))));
}

// Returns the first and last tick of a piece, in the high and low 16 bits.
fn window_between(since: f32, until: f32) -> u32 {
  return (u32(since * f32(CCD_TICKS)) << 16u) | u32(min(until, 1.0) * f32(CCD_TICKS));
}
