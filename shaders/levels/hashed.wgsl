// Levels of cells in an unbounded world. Each level has a table of buckets, whose number is a power of two. The bucket
// of a cell follows from a sum: a cell to the right has the next bucket, and rows and layers are far apart. So a row of
// cells is one range of buckets, which may continue at the start of the table. The cells around a particle never share
// a bucket; cells farther apart may share one. Twin: src/core/world/levels.ts.
// Needs: start, grid, snap, inverse_edge, is_beside.

// Returns how many of the lowest levels are merged into the next one (grid/merge_levels.wgsl); with ALL_LEVELS, 0. In
// all other functions, level 0 is the lowest level that is not merged.
fn merged_levels() -> u32 {
#if ALL_LEVELS
  return 0u;
#else
  return min(start[grid.merged_word], grid.levels - 1u);
#endif
}

fn finest_at(position: Vector) -> Lattice {
  return Lattice(floor(snap(within_cells(snap(position)) * inverse_edge(0u))));
}

// FARTHEST_CELL counts cells of the lowest level before any levels are merged.
fn within_cells(position: Vector) -> Vector {
  let farthest = Vector(f32(FARTHEST_CELL) * grid.cell_size);
  return clamp(position, -farthest, farthest);
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  return is_beside(cell, other);
}

fn first_bucket(level: u32) -> u32 {
  return grid.level_first[level / 4u][level % 4u];
}

// Returns the number of buckets of a level, less one.
fn last_in_table(level: u32) -> u32 {
  let lowest = select(grid.cell_count, grid.level_first[0][1], grid.levels > 1u);
  return select(lowest >> TABLE_SHIFT, lowest, level == 0u) - 1u;
}

// Returns the index of a cell in its table, which may lie beyond the table's end; callers wrap it.
fn index_of(lattice: Lattice) -> u32 {
  let index = u32(lattice.x) + u32(lattice.y) * ROW_STEP;
  if (DIMENSIONS == 2u) {
    return index;
  }
  return index + u32(lattice[DIMENSIONS - 1u]) * LAYER_STEP;
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return first_bucket(level) + (index_of(lattice) & last_in_table(level));
}
