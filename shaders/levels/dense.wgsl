// Levels of dense cells: one bucket per cell, ordered by level, then by row. levels/hashed.wgsl defines the same names
// except cells_at and wrap_cell.
// Needs: grid, snap, wrap_once, is_beside.

fn cells_at(level: u32) -> Extent {
  let all = ((grid.cells - Extent(1u)) >> Extent(level)) + Extent(1u);
#if WRAPS
  // The last cell along a periodic axis also covers the rest of the period.
  return select(all, grid.cells >> Extent(level), grid.period > Vector());
#else
  return all;
#endif
}

fn merged_levels() -> u32 {
  return 0u;
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
// Along periodic axes, wraps a cell that is at most one period outside. Along other axes, the cell must be inside.
fn wrap_cell(lattice: Lattice, level: u32) -> Lattice {
  let cells = Lattice(cells_at(level));
  let raised = select(lattice, lattice + cells, lattice < Lattice());
  return select(raised, raised - cells, raised >= cells);
}

#endif
fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return grid.level_first[level / 4u][level % 4u] + flatten(lattice, cells_at(level));
}
