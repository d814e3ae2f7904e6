// The bounded world: a box of cells with a ring of empty cells around it. Needs space_straight and cells_dense. Twin:
// src/core/world/cells.ts. Each kind of world provides the same names: those of space_straight and cells_dense, and
// lattice_at and are_adjacent.
// Needs: snap, grid, is_beside.

// The outermost cells stay empty, so that a probe around any cell stays inside the grid.
fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(position - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(3u)))) + Lattice(1);
}

fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  return is_beside(cell, other);
}
