// A block of cells in a dense grid. It may continue at the other end of a periodic axis.
// Needs: grid, lattice_at.

struct Block {
  first: Lattice,
  length: Extent,
}

// Returns the block with all cells between two corners. lattice_at is monotone, rounding included, so no cell is
// missed. If low > high, see world/box_periodic.wgsl.
fn block_between(low: Vector, high: Vector) -> Block {
  let cells = Lattice(grid.cells);
  let first = lattice_at(low);
  let length = lattice_at(high) + select(Lattice(), cells, low > high) - first + Lattice(1);
  return Block(select(first, Lattice(), length >= cells), Extent(min(length, cells)));
}

// Returns the number of lists of paths (solve/ccd/link.wgsl): one per cell.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}

fn bucket_in(block: Block, index: u32) -> u32 {
  let cell = block.first + Lattice(unflatten(index, block.length));
  return flatten(select(cell, cell - Lattice(grid.cells), cell >= Lattice(grid.cells)), grid.cells);
}
