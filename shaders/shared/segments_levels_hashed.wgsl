// The rows of a block of cells of one level as segments, where cells are hashed: cells that are in one block of the table,
// so that their particles are in one range of slots. Others, of any level, may share their buckets. With WRAPS a row may go
// on at the other end. Needs block_levels_hashed, and of the kernel start: array<u32>, cell_of_slot: array<Cell>,
// position_in: array<Body>. Same names as in segments_levels_dense.wgsl.

// Slots from `first` up to, but not, `end`, as far as they are of the level and their cells are between two.
struct Segment {
  first: u32,
  end: u32,
  low: Lattice,
  high: Lattice,
  level: u32,
}

// Blocks of the table that the cells from one to another along x are in.
fn blocks_between(first: i32, last: i32) -> u32 {
  return u32((last >> HASH_BLOCK_SHIFT) - (first >> HASH_BLOCK_SHIFT)) + 1u;
}

fn last_in_row(block: Block) -> i32 {
  return block.first.x + i32(block.length.x - 1u);
}

#if WRAPS
// Cells along x before a row goes on at the other end; 0 where it does not.
fn cells_before_end(block: Block) -> i32 {
  let cells = i32(cells_at(block.level).x);
  return select(0, cells, cells > 0 && last_in_row(block) >= cells);
}

#endif
fn segments_in_row(block: Block) -> u32 {
  let last = last_in_row(block);
#if WRAPS
  let cells = cells_before_end(block);
  if (cells > 0) {
    return blocks_between(block.first.x, cells - 1) + blocks_between(0, last - cells);
  }
#endif
  return blocks_between(block.first.x, last);
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  var part = index % parts;
  var last = last_in_row(block);
  var low = block.first;
  low.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    low[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
#if WRAPS
  low = brought_in(low, block.level);
  let cells = cells_before_end(block);
  if (cells > 0) {
    let before = blocks_between(low.x, cells - 1);
    let is_beyond = part >= before;
    part -= select(0u, before, is_beyond);
    low.x = select(low.x, 0, is_beyond);
    last = select(cells - 1, last - cells, is_beyond);
  }
#endif
  let begin = ((low.x >> HASH_BLOCK_SHIFT) + i32(part)) << HASH_BLOCK_SHIFT;
  low.x = max(low.x, begin);
  var high = low;
  high.x = min(last, begin + i32(HASH_BLOCK - 1u));
  let bucket = bucket_at(low, block.level);
  return Segment(start[bucket], start[bucket + u32(high.x - low.x) + 1u], low, high, block.level);
}

// Whether a slot between those of a segment is one of its particles.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  let cell = load_lattice(cell_of_slot[slot]);
  let is_between = all((cell >= segment.low) & (cell <= segment.high));
  return is_between && level_of(radius_of(position_in[slot])) == segment.level;
}
