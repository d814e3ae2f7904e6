// Splits the rows of a block into segments. A segment is the part of a row inside one aligned run of HASH_BLOCK buckets
// of the table, so it is one range of slots.
// Needs: Block, bucket_at, first_bucket, start, cell_of_slot.

// Particles of other cells may lie among the slots.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
}

// Returns the number of segments per row. In some rows, the last segment is empty.
fn segments_in_row(block: Block) -> u32 {
  return ((block.length.x + 2u * HASH_BLOCK - 2u) >> HASH_BLOCK_SHIFT);
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  let part = index % parts;
  var low = block.first;
  low.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    low[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
  let before = (bucket_at(low, block.level) - first_bucket(block.level)) & (HASH_BLOCK - 1u);
  let begin = min(max(part * HASH_BLOCK, before) - before, block.length.x);
  let end = min((part + 1u) * HASH_BLOCK - before, block.length.x);
  var high = low;
  low.x += i32(begin);
  high.x += i32(end) - 1;
  let bucket = bucket_at(low, block.level);
  return Segment(start[bucket], start[bucket + end - begin], low, high);
}

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  return all((cell >= segment.low) & (cell <= segment.high));
}
