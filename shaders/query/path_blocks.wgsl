// Divides the rows of cells along a path: here, a piece is the part of a row that lies in one hash block.

fn piece_at(x: i32) -> i32 {
  return x >> HASH_BLOCK_SHIFT;
}

fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let first = piece << HASH_BLOCK_SHIFT;
  return vec2i(max(low, first), min(high, first + i32(HASH_BLOCK - 1u)));
}
