// A block of cells in the unbounded world, not to be confused with a hash block (world/unbounded.wgsl).
// block_dense.wgsl defines the same names.
// Needs: lattice_at, grid, mix_bits, bucket_at.

struct Block {
  first: Lattice,
  length: Extent,
}

fn block_between(low: Vector, high: Vector) -> Block {
  let first = lattice_at(low);
  return Block(first, Extent(lattice_at(high) - first) + Extent(1u));
}

// Returns the number of lists of paths (solve/ccd/link.wgsl), a power of two. The lists have their own hash table. It
// has at least FEWEST_LISTS lists, because even a few paths may pass many cells.
fn lists_of_cells() -> u32 {
  return max(grid.cell_count, FEWEST_LISTS);
}

fn list_in(block: Block, index: u32) -> u32 {
  let cell = block.first + Lattice(unflatten(index, block.length));
  return mix_bits(hash_lattice(cell)) & (lists_of_cells() - 1u);
}

fn bucket_in(block: Block, index: u32) -> u32 {
  return bucket_at(block.first + Lattice(unflatten(index, block.length)));
}
