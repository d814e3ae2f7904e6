// The periodic world: a box whose chosen axes wrap around. Needs space_periodic and cells_dense. Twin: src/core/world/cells.ts.
// Along a periodic axis there is no ring of empty cells: `grid.ring` is 0, the first and the last cell are
// neighbours, and the last may be up to twice as wide. Along the others `grid.period` is 0, and all is as in
// world_bounded.wgsl.

fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrap_once(position) - grid.origin) * grid.inverse_cell_size));
  let last = Vector(grid.cells - 2u * grid.ring - Extent(1u));
  return Lattice(clamp(scaled, Vector(), last)) + Lattice(grid.ring);
}

// Without a ring the ends touch; with one nothing ever is in the outermost cells.
fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  let away = abs(other - cell);
  return all((away <= Lattice(1)) | (away == Lattice(grid.cells) - Lattice(1)));
}
