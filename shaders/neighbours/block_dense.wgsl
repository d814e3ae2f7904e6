// Blocks of cells in a dense grid. A block may continue at the other end of a periodic axis. Needs lattice_at of a
// world. neighbours/block_unbounded.wgsl provides the same names for the unbounded world.
// Needs: grid, lattice_at.

struct Block {
  first: Lattice,
  // Cells along each axis. If they go beyond the last cell, they continue at the other end.
  length: Extent,
}

// The cells of all positions between two corners. lattice_at is monotone, rounding included, so no cell is missed.
// Along periodic axes, low > high means everything except the gap between them.
fn block_between(low: Vector, high: Vector) -> Block {
  let cells = Lattice(grid.cells);
  let first = lattice_at(low);
  let length = lattice_at(high) + select(Lattice(), cells, low > high) - first + Lattice(1);
  return Block(select(first, Lattice(), length >= cells), Extent(min(length, cells)));
}

// The number of lists of paths: one per cell. list_in returns the list of a cell.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}

// The bucket of a cell of a block.
fn bucket_in(block: Block, index: u32) -> u32 {
  let cell = block.first + Lattice(unflatten(index, block.length));
  return flatten(select(cell, cell - Lattice(grid.cells), cell >= Lattice(grid.cells)), grid.cells);
}
