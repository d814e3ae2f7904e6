// Dense cells: the bucket of a cell is its index. unbounded.wgsl defines the same names. Twin: src/core/world/cells.ts.
// Needs: grid, is_finite, lattice_at, outer_bucket.

// The index of a slot's cell, stored until the next sort.
alias Cell = u32;

const NOWHERE = Cell(0xffffffffu);

fn is_in_grid(cell: Cell) -> bool {
  return cell < grid.cell_count;
}

fn bucket_of(position: Vector, id: u32) -> u32 {
  if (is_finite(position)) {
    return flatten(lattice_at(position), grid.cells);
  }
  return outer_bucket(id);
}

fn cell_of(position: Vector, bucket: u32) -> Cell {
  return bucket;
}

fn lattice_of(cell: Cell) -> Lattice {
  return unflatten(min(cell, grid.cell_count - 1u), grid.cells);
}
