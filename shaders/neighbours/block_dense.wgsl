// Blocks of cells in a dense grid. Along periodic axes they may go on at the other end. Needs lattice_at of a world. The
// other kind, with the same names, is block_unbounded.wgsl.

struct Block {
  first: Lattice,
  // Cells along each axis; where the first and so many cells go beyond the last one, they go on at the other end.
  length: Extent,
}

// The cells of all places between two corners: lattice_at never descends, rounding included, so no cell is missed.
// Along periodic axes low > high means what is left when the places between are taken away.
fn block_between(low: Vector, high: Vector) -> Block {
  let cells = Lattice(grid.cells);
  let first = lattice_at(low);
  let length = lattice_at(high) + select(Lattice(), cells, low > high) - first + Lattice(1);
  return Block(select(first, Lattice(), length >= cells), Extent(min(length, cells)));
}

// For lists of what is in cells, of which there may be many more than particles: how many there are, and of which cells.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}

// The bucket of one of them.
fn bucket_in(block: Block, index: u32) -> u32 {
  let cell = block.first + Lattice(unflatten(index, block.length));
  return flatten(select(cell, cell - Lattice(grid.cells), cell >= Lattice(grid.cells)), grid.cells);
}
