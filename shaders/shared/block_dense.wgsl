// Blocks of cells in a dense grid, as segments: cells of one row that are neighbours in memory, so that their particles
// are one range of slots. Along a periodic x a row may go on at the other end: two segments. Needs lattice_at of a
// world, and of the kernel start: array<u32>. The other kind, with the same names, is block_unbounded.wgsl.

struct Block {
  first: Lattice,
  // Cells along each axis; where the first and so many cells go beyond the last one, they go on at the other end.
  length: Extent,
}

// Slots from `first` up to, but not, `end`.
struct Segment {
  first: u32,
  end: u32,
}

// The cells of all places between two corners: lattice_at never descends, rounding included, so no cell is missed.
// Along periodic axes low > high means what is left when the places between are taken away.
fn block_between(low: Vector, high: Vector) -> Block {
  let cells = Lattice(grid.cells);
  let first = lattice_at(low);
  let length = lattice_at(high) + select(Lattice(), cells, low > high) - first + Lattice(1);
  return Block(select(first, Lattice(), length >= cells), Extent(min(length, cells)));
}

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

// Whether a slot between those of a segment is one of its particles.
fn is_in_segment(segment: Segment, slot: u32) -> bool {
  return true;
}
