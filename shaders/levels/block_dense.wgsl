// A block of cells on one level of a dense grid. With WRAPS it may continue at the other end of a periodic axis.
// Needs: cell_at, cells_at, bucket_at, wrap_cell, grid.

struct Block {
  first: Lattice,
  length: Extent,
  level: u32,
}

fn block_on(level: u32, low: Vector, high: Vector) -> Block {
  let first = cell_at(low, level);
  let last = cell_at(high, level);
#if WRAPS
  // If low > high, the block crosses an end of the axis: see world/box_periodic.wgsl.
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
  return bucket_at(wrap_cell(cell, block.level), block.level);
#else
  return bucket_at(cell, block.level);
#endif
}

// Returns the number of lists of paths (solve/ccd/link.wgsl): one per cell.
fn lists_of_cells() -> u32 {
  return grid.cell_count;
}

fn list_in(block: Block, index: u32) -> u32 {
  return bucket_in(block, index);
}
