// Levels of cells in a box. Each cell has its own bucket, ordered by level, then by row. Needs space_straight or, with
// WRAPS (periodic axes), space_periodic; goes before levels/levels.wgsl. levels/hashed.wgsl provides the same names for
// an unbounded world.
// Needs: grid, snap, wrap_once, is_beside.

// The least number of levels between a finer entry and the cell that lists it. Particles one level below are instead
// found in their own cells, which lie in rows.
const FINER_STEPS = 2u;

// Cells along each axis of a level.
fn cells_at(level: u32) -> Extent {
  let all = ((grid.cells - Extent(1u)) >> Extent(level)) + Extent(1u);
#if WRAPS
  // The last cell along a periodic axis takes in the rest of the period.
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

// True if two cells of a level are the same or touch.
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
// Wraps a cell that is up to one period outside. Along other axes no cell is outside.
fn wrap_cell(lattice: Lattice, level: u32) -> Lattice {
  let cells = Lattice(cells_at(level));
  let raised = select(lattice, lattice + cells, lattice < Lattice());
  return select(raised, raised - cells, raised >= cells);
}

#endif
fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return grid.level_first[level / 4u][level % 4u] + flatten(lattice, cells_at(level));
}

// The number of buckets that have finer entries: those of level FINER_STEPS and above.
fn finer_buckets() -> u32 {
  return grid.cell_count - grid.level_first[0][FINER_STEPS];
}

// The bucket that holds the finer entries of a bucket's cell.
fn finer_bucket(bucket: u32) -> u32 {
  return grid.cell_count + FINER_BUCKETS + bucket - grid.level_first[0][FINER_STEPS];
}
