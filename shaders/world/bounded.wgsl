// The bounded world: a box of cells with a ring of empty cells around it. Twin: src/core/world/cells.ts.
// Needs: snap, grid, is_beside.

// Returns a cell inside the ring, so probes of adjacent cells stay inside the grid.
fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(position - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(3u)))) + Lattice(1);
}

fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  return is_beside(cell, other);
}
