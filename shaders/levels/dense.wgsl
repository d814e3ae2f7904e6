// Levels of cells of a box, each with a bucket of its own: level by level, row by row. Needs space_straight or (with WRAPS,
// where some axes wrap around) space_periodic; before levels.wgsl. The other kind is in levels_hashed.wgsl.

// How many levels a finer entry is below its hosts, at least: who is on the level just below is looked for in its cells, which
// lie in rows.
const FINER_STEPS = 2u;

// Cells along each axis of a level.
fn cells_at(level: u32) -> Extent {
  let all = ((grid.cells - Extent(1u)) >> Extent(level)) + Extent(1u);
#if WRAPS
  // Around the end of an axis that wraps around the last cell takes in what is left.
  return select(all, grid.cells >> Extent(level), grid.period > Vector());
#else
  return all;
#endif
}

fn finest_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrap_once(position) - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(1u))));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  let shifted = lattice >> Extent(coarser - level);
#if WRAPS
  return min(shifted, Lattice(cells_at(coarser)) - Lattice(1));
#else
  return shifted;
#endif
}

// Whether two cells of a level are the same or touch.
fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
#if WRAPS
  let away = abs(other - cell);
  let is_around = (grid.period > Vector()) & (away == Lattice(cells_at(level)) - Lattice(1));
  return all((away <= Lattice(1)) | is_around);
#else
  return is_beside(cell, other);
#endif
}

#if WRAPS
// A cell up to a period outside a level, brought in; along axes that do not wrap around none is outside.
fn brought_in(lattice: Lattice, level: u32) -> Lattice {
  let cells = Lattice(cells_at(level));
  let raised = select(lattice, lattice + cells, lattice < Lattice());
  return select(raised, raised - cells, raised >= cells);
}

#endif
fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return grid.level_first[level / 4u][level % 4u] + flatten(lattice, cells_at(level));
}

// Buckets that have finer entries: those of level FINER_STEPS and of higher ones.
fn finer_buckets() -> u32 {
  return grid.cell_count - grid.level_first[0][FINER_STEPS];
}

// The bucket of the finer entries of the cells of a bucket.
fn finer_bucket(bucket: u32) -> u32 {
  return grid.cell_count + FINER_BUCKETS + bucket - grid.level_first[0][FINER_STEPS];
}
