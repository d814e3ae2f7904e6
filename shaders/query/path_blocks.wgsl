// Pieces of rows: the parts of a row in one block of the hash table.

fn piece_at(x: i32) -> i32 {
  return x >> HASH_BLOCK_SHIFT;
}

fn piece_between(piece: i32, low: i32, high: i32) -> vec2i {
  let first = piece << HASH_BLOCK_SHIFT;
  return vec2i(max(low, first), min(high, first + i32(HASH_BLOCK - 1u)));
}
