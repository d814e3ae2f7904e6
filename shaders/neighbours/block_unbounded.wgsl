// Blocks of cells in the unbounded world. Others may share their buckets. Same names as in block_dense.wgsl.

struct Block {
  first: Lattice,
  length: Extent,
}

fn block_between(low: Vector, high: Vector) -> Block {
  let first = lattice_at(low);
  return Block(first, Extent(lattice_at(high) - first) + Extent(1u));
}

// For lists of what is in cells, of which there may be many more than particles: a table of their own, under a hash.
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
