// Splits the rows of a block into segments, each of which is one range of slots. With WRAPS, a row that crosses an end
// has two segments.
// Needs: Block, cells_at, wrap_cell, bucket_at, start.

struct Segment {
  first: u32,
  end: u32,
}

#if WRAPS
fn segments_in_row(block: Block) -> u32 {
  return select(1u, 2u, u32(block.first.x) + block.length.x > cells_at(block.level).x);
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  var cell = block.first;
  cell.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    cell[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
  cell = wrap_cell(cell, block.level);
  var width = min(block.length.x, cells_at(block.level).x - u32(block.first.x));
  if (index % parts == 1u) {
    width = block.length.x - width;
    cell.x = 0;
  }
  let bucket = bucket_at(cell, block.level);
  return Segment(start[bucket], start[bucket + width]);
}
#else
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
#endif

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
