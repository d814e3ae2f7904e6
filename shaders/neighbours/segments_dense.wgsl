// Splits the rows of a block into segments, each of which is one range of slots. A row that crosses an end of a
// periodic axis has two segments.
// Needs: Block, grid, start.

struct Segment {
  first: u32,
  end: u32,
}

#if WRAPS
fn segments_in_row(block: Block) -> u32 {
  return select(1u, 2u, u32(block.first.x) + block.length.x > grid.cells.x);
}

fn segment_of(block: Block, index: u32) -> Segment {
  let parts = segments_in_row(block);
  let row = index / parts;
  var cell = block.first;
  cell.y += i32(row % block.length.y);
  if (DIMENSIONS == 3u) {
    cell[DIMENSIONS - 1u] += i32(row / block.length.y);
  }
  cell = select(cell, cell - Lattice(grid.cells), cell >= Lattice(grid.cells));
  var width = min(block.length.x, grid.cells.x - u32(block.first.x));
  if (index % parts == 1u) {
    width = block.length.x - width;
    cell.x = 0;
  }
  let base = flatten(cell, grid.cells);
  return Segment(start[base], start[base + width]);
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
  let base = flatten(cell, grid.cells);
  return Segment(start[base], start[base + block.length.x]);
}
#endif

fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
