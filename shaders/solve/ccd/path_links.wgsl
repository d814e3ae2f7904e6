// The nodes of paths in `links`.
// Needs: links, word_of_node, path_count, followed_pieces.

fn room_of_path() -> u32 {
  return (arrayLength(&links) - word_of_node(0u)) / (2u * path_count());
}

// Returns how many pieces `link` lists for a path. They are at most a cell long, and cover what the searches follow in
// pieces of at most PIECE_CELLS cells.
fn linked_pieces(cuts: f32) -> u32 {
  return u32(min(cuts, f32(PIECE_CELLS) * followed_pieces(cuts / f32(PIECE_CELLS))));
}

// Returns the first and last tick of a piece, in the high and low 16 bits.
fn window_between(since: f32, until: f32) -> u32 {
  return (u32(since * f32(CCD_TICKS)) << 16u) | u32(min(until, 1.0) * f32(CCD_TICKS));
}
