// Blocks of cells of one level where cells are hashed: others may share their buckets. Needs hash, levels_hashed and levels.
// Same names as in block_levels_dense.wgsl.

struct Block {
  first: Lattice,
  // Cells along each axis; with WRAPS, where the first and so many cells go beyond the last one, they go on at the other
  // end.
  length: Extent,
  level: u32,
}

fn block_on(level: u32, low: Vector, high: Vector) -> Block {
  let first = cell_at(low, level);
  let last = cell_at(high, level);
#if WRAPS
  // Along axes that wrap around low > high means what is left when the places between are taken away.
  let cells = Lattice(cells_at(level));
  let wraps = cells > Lattice();
  let length = last + select(Lattice(), cells, low > high) - first + Lattice(1);
  let is_all = wraps & (length >= cells);
  return Block(select(first, Lattice(), is_all), Extent(select(length, cells, is_all)), level);
#else
  return Block(first, Extent(last - first) + Extent(1u), level);
#endif
}

fn cell_in(block: Block, index: u32) -> Lattice {
  let cell = block.first + Lattice(unflatten(index, block.length));
#if WRAPS
  return brought_in(cell, block.level);
#else
  return cell;
#endif
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
