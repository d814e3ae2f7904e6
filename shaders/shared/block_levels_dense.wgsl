// Blocks of cells of one level of a box. Needs levels_dense and levels. Same names as in block_levels_hashed.wgsl.

struct Block {
  first: Lattice,
  length: Extent,
  level: u32,
}

// The cells of all places between two corners.
fn block_on(level: u32, low: Vector, high: Vector) -> Block {
  let first = cell_at(low, level);
  return Block(first, Extent(cell_at(high, level) - first) + Extent(1u), level);
}

fn bucket_in(block: Block, index: u32) -> u32 {
  return bucket_at(block.first + Lattice(unflatten(index, block.length)), block.level);
}

// For lists of what is in cells, of which there may be many more than particles: how many there are, and of which cells.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}
