// Blocks of cells of one level of a box. Along axes that wrap around (with WRAPS) they may go on at the other end. Needs
// levels_dense and levels. Same names as in block_levels_hashed.wgsl.

struct Block {
  first: Lattice,
  // Cells along each axis; where the first and so many cells go beyond the last one, they go on at the other end.
  length: Extent,
  level: u32,
}

// The cells of all places between two corners.
fn block_on(level: u32, low: Vector, high: Vector) -> Block {
  let first = cell_at(low, level);
  let last = cell_at(high, level);
#if WRAPS
  // Along axes that wrap around low > high means what is left when the places between are taken away.
  let cells = Lattice(cells_at(level));
  let length = last + select(Lattice(), cells, low > high) - first + Lattice(1);
  return Block(select(first, Lattice(), length >= cells), Extent(min(length, cells)), level);
#else
  return Block(first, Extent(last - first) + Extent(1u), level);
#endif
}

fn bucket_in(block: Block, index: u32) -> u32 {
  let cell = block.first + Lattice(unflatten(index, block.length));
#if WRAPS
  return bucket_at(brought_in(cell, block.level), block.level);
#else
  return bucket_at(cell, block.level);
#endif
}

// For lists of what is in cells, of which there may be many more than particles: how many there are, and of which cells.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}
