// Functions for segments of any kind, and the levels on which to search a box.
// Needs: grid, Box, Block, block_on, block_between, segments_in_row.

#if VARIABLE_RADII
fn levels_to_search() -> u32 {
  return grid.levels;
}

fn block_of_box(box: Box, level: u32) -> Block {
  return block_on(level, box.low, box.high);
}
#else
fn levels_to_search() -> u32 {
  return 1u;
}

fn is_occupied(level: u32) -> bool {
  return true;
}

fn block_of_box(box: Box, level: u32) -> Block {
  return block_between(box.low, box.high);
}
#endif

// Returns a float, because a block of an unbounded world may have more rows than 32 bits can count.
fn rows_in(block: Block) -> f32 {
  return f32(block.length.y) * select(1.0, f32(block.length[DIMENSIONS - 1u]), DIMENSIONS == 3u);
}

fn segments_in(block: Block) -> f32 {
  return rows_in(block) * f32(segments_in_row(block));
}

// The caller has checked that there are at most as many segments as particles, so the number fits 32 bits.
fn segment_count(block: Block) -> u32 {
  return segments_in_row(block) * block.length.y * select(1u, block.length[DIMENSIONS - 1u], DIMENSIONS == 3u);
}
