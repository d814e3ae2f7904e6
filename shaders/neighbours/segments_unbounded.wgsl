// Splits the rows of a block into segments. Each segment lies in one hash block and is therefore one range of slots.
// Needs: Block, bucket_at, start, cell_of_slot.

// Particles of other cells may lie among the slots.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

fn segments_in_row(block: Block) -> u32 {
  let last = block.first.x + i32(block.length.x - 1u);
  return u32((last >> HASH_BLOCK_SHIFT) - (block.first.x >> HASH_BLOCK_SHIFT)) + 1u;
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  let begin = ((block.first.x >> HASH_BLOCK_SHIFT) + i32(index % parts)) << HASH_BLOCK_SHIFT;
  var low = block.first;
  low.x = max(low.x, begin);
  low.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    low[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
  var high = low;
  high.x = min(block.first.x + i32(block.length.x - 1u), begin + i32(HASH_BLOCK - 1u));
  let bucket = bucket_at(low);
  return Segment(start[bucket], start[bucket + u32(high.x - low.x) + 1u], low, high);
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  return all((cell >= segment.low) & (cell <= segment.high));
}
