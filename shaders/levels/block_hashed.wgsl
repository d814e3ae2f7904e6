// Blocks of cells of one level where cells are hashed: others may share their buckets. Needs hash, levels_hashed and levels.
// Same names as in block_levels_dense.wgsl.

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

fn cell_in(block: Block, index: u32) -> Lattice {
  return block.first + Lattice(unflatten(index, block.length));
}

fn bucket_in(block: Block, index: u32) -> u32 {
  return bucket_at(cell_in(block, index), block.level);
}

// For lists of what is in cells, of which there may be many more than particles: a table of their own, under a hash.
fn lists_of_cells() -> u32 {
  return max(grid.cell_count, FEWEST_LISTS);
}

fn list_in(block: Block, index: u32) -> u32 {
  let hash = hash_lattice(cell_in(block, index)) ^ (block.level * 0x9e3779b9u);
  return mix_bits(hash) & (lists_of_cells() - 1u);
}
