// A block of cells on one level of an unbounded world. Defines the same names as levels/block_dense.wgsl.
// Needs: cell_at, bucket_at, grid, mix_bits.

struct Block {
  first: Lattice,
  length: Extent,
  level: u32,
}

fn block_on(level: u32, low: Vector, high: Vector) -> Block {
  let first = cell_at(low, level);
  return Block(first, Extent(cell_at(high, level) - first) + Extent(1u), level);
}

fn cell_in(block: Block, index: u32) -> Lattice {
  return block.first + Lattice(unflatten(index, block.length));
}

fn bucket_in(block: Block, index: u32) -> u32 {
  return bucket_at(cell_in(block, index), block.level);
}

fn lists_of_cells() -> u32 {
  return max(grid.cell_count, FEWEST_LISTS);
}

fn list_in(block: Block, index: u32) -> u32 {
  let hash = hash_lattice(cell_in(block, index)) ^ (block.level * 0x9e3779b9u);
  return mix_bits(hash) & (lists_of_cells() - 1u);
}
