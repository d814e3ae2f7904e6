// Cells that each have a bucket of their own, which is their index. The other kind is in world_unbounded.wgsl, with the
// same names. Needs params, finite, and lattice_at of a world. Twin: src/core/world/cells.ts.

// What is kept of the cell of a slot until the next sort: its index.
alias Cell = u32;

const NOWHERE = Cell(0xffffffffu);

fn is_in_grid(cell: Cell) -> bool {
  return cell < grid.cell_count;
}

// Where a particle goes: its cell, the quarantine, or (its id marked) the exit.
fn bucket_of(position: Vector, id: u32) -> u32 {
  if (is_finite(position)) {
    return flatten(lattice_at(position), grid.cells);
  }
  return aside(id);
}

fn cell_of(position: Vector, bucket: u32) -> Cell {
  return bucket;
}

fn lattice_of(cell: Cell) -> Lattice {
  return unflatten(min(cell, grid.cell_count - 1u), grid.cells);
}
