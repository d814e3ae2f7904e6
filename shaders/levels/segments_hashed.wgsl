// Splits the rows of a block into segments. Each segment lies in one hash block and is therefore one range of slots.
// Needs: Block, bucket_at, start, cell_of_slot, level_of, position_in.

// Particles of other cells and levels may lie among the slots.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
  level: u32,
}

fn last_in_row(block: Block) -> i32 {
  return block.first.x + i32(block.length.x - 1u);
}

fn segments_in_row(block: Block) -> u32 {
  return u32((last_in_row(block) >> HASH_BLOCK_SHIFT) - (block.first.x >> HASH_BLOCK_SHIFT)) + 1u;
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  var low = block.first;
  low.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    low[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
  let begin = ((low.x >> HASH_BLOCK_SHIFT) + i32(index % parts)) << HASH_BLOCK_SHIFT;
  low.x = max(low.x, begin);
  var high = low;
  high.x = min(last_in_row(block), begin + i32(HASH_BLOCK - 1u));
  let bucket = bucket_at(low, block.level);
  return Segment(start[bucket], start[bucket + u32(high.x - low.x) + 1u], low, high, block.level);
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == segment.level;
}
