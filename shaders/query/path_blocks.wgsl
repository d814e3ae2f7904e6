// Pieces of rows where cells are hashed and no axis wraps around: what path_unbounded.wgsl and path_levels_hashed.wgsl have
// in common.

// Pieces of a row are blocks of the table.
fn piece_at(x: i32) -> i32 {
  return x >> HASH_BLOCK_SHIFT;
}

fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let first = piece << HASH_BLOCK_SHIFT;
  return vec2i(max(low, first), min(high, first + i32(HASH_BLOCK - 1u)));
}
