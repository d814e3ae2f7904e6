// Blocks of cells in the unbounded world. Others may share their buckets. Same names as in block_dense.wgsl.

struct Block {
  first: Lattice,
  length: Extent,
}

fn block_between(low: Vector, high: Vector) -> Block {
  let first = lattice_at(low);
  return Block(first, Extent(lattice_at(high) - first) + Extent(1u));
}

fn cells_in(block: Block) -> u32 {
  return block.length.x * block.length.y * select(1u, block.length[DIMENSIONS - 1u], DIMENSIONS == 3u);
}

fn bucket_in(block: Block, index: u32) -> u32 {
  return bucket_at(block.first + Lattice(unflatten(index, block.length)));
}
