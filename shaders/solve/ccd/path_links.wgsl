// The nodes of paths in `links`. Needs links, paths and impact.

// Nodes that each path has.
fn room_of_path() -> u32 {
  return (arrayLength(&links) - word_of_node(0u)) / (2u * path_count());
}

// Pieces of a cell that are in lists: as many as are followed, of more cells each.
fn linked_pieces(cuts: f32) -> u32 {
  return u32(min(cuts, f32(PIECE_CELLS) * followed_pieces(cuts / f32(PIECE_CELLS))));
}

// Ticks from the first to the last in which a piece of a path is flown.
fn window_between(since: f32, until: f32) -> u32 {
  return (u32(since * f32(CCD_TICKS)) << 16u) | u32(min(until, 1.0) * f32(CCD_TICKS));
}
