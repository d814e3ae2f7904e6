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

// Returns how many lists of paths (solve/ccd/link.wgsl) there are, a power of two. They have their own hash table. The
// grid's table has only one to two buckets per particle, but even a few paths may pass many cells. So there are at
// least FEWEST_LISTS lists.
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
