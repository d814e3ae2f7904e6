// Dense cells: the bucket of a cell is its index. world/unbounded.wgsl provides the same names for hashed cells. Needs
// params, finite, and lattice_at of a world. Twin: src/core/world/cells.ts.
// Needs: grid, is_finite, lattice_at, aside.

// The cell of a slot, as stored until the next sort: its index.
alias Cell = u32;

const NOWHERE = Cell(0xffffffffu);

fn is_in_grid(cell: Cell) -> bool {
  return cell < grid.cell_count;
}

// The bucket of a particle: its cell, the quarantine, or the bucket of removed particles if its id is marked.
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
