// The periodic world: a box in which the chosen axes wrap around. Linked with space_periodic.wgsl and cells_dense.wgsl.
// A periodic axis has no ring of empty cells, so `grid.ring` is 0. The first and the last cell are neighbours, and the
// last cell may be up to twice as wide as the others. Along other axes `grid.period` is 0, as in world/bounded.wgsl.
// Twin: src/core/world/cells.ts.
// Needs: snap, wrap_once, grid.

fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrap_once(position) - grid.origin) * grid.inverse_cell_size));
  let last = Vector(grid.cells - 2u * grid.ring - Extent(1u));
  return Lattice(clamp(scaled, Vector(), last)) + Lattice(grid.ring);
}

// Along an axis without a ring, the first and the last cell touch. Along an axis with a ring, the outermost cells never
// hold a particle.
fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  let away = abs(other - cell);
  return all((away <= Lattice(1)) | (away == Lattice(grid.cells) - Lattice(1)));
}
