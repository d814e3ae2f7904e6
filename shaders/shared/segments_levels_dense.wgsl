// The rows of a block of cells of one level of a box as segments: cells that are neighbours in memory, so that their
// particles are one range of slots. Needs block_levels_dense, and of the kernel start: array<u32>. Same names as in
// segments_levels_hashed.wgsl.

// Slots from `first` up to, but not, `end`.
struct Segment {
  first: u32,
  end: u32,
}

fn segments_in_row(block: Block) -> u32 {
  return 1u;
}

fn segment_of(block: Block, index: u32) -> Segment {
  var cell = block.first;
  cell.y += i32(index % block.length.y);
  if (DIMENSIONS == 3u) {
    cell[DIMENSIONS - 1u] += i32(index / block.length.y);
  }
  let bucket = bucket_at(cell, block.level);
  return Segment(start[bucket], start[bucket + block.length.x]);
}

// Whether a slot between those of a segment is one of its particles.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
