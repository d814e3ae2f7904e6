// The periodic world. A periodic axis has no ring: its first and last cell are neighbours, and the last may be up to
// twice as wide as the others. Along other axes `grid.period` is 0. Twin: src/core/world/cells.ts.
// Needs: snap, wrap_once, grid.

fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrap_once(position) - grid.origin) * grid.inverse_cell_size));
  let last = Vector(grid.cells - 2u * grid.ring - Extent(1u));
  return Lattice(clamp(scaled, Vector(), last)) + Lattice(grid.ring);
}

// Also compares across the ends of every axis. Along an axis with a ring, this has no effect, because the outermost
// cells never hold a particle.
fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  let away = abs(other - cell);
  return all((away <= Lattice(1)) | (away == Lattice(grid.cells) - Lattice(1)));
}
