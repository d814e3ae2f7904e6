// The bounded world: a box of cells, with a ring of empty ones around it. Needs params and finite.
// Twin: src/core/cells.ts. Each world_*.wgsl offers the same names.

// What is kept of the cell of a slot until the next sort: its index.
alias Cell = u32;

const NOWHERE = Cell(0xffffffffu);

fn is_in_grid(cell: Cell) -> bool {
  return cell < grid.cell_count;
}

// Where a position is stored: here, where it is.
fn wrapped(position: Vector) -> Vector {
  return position;
}

// The same for a position as it lies in memory: to the bit, whatever it is.
fn stored_at(stored: Stored) -> Stored {
  return stored;
}

// The same for a position that may have gone any way in one substep.
fn carried(position: Vector) -> Vector {
  return position;
}

// The way from `other` to `place`.
fn separation(place: Vector, other: Vector) -> Vector {
  return place - other;
}

// The outermost cells stay empty, so that a probe around any cell stays inside the grid.
fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(position - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(3u)))) + Lattice(1);
}

// Where a particle goes: its cell, the quarantine, or (its id marked) the exit.
fn bucket_of(position: Vector, id: u32) -> u32 {
  if (is_finite(position)) {
    return flatten(lattice_at(position), grid.cells);
  }
  return select(grid.cell_count, grid.cell_count + 1u, (id & RETIRED_BIT) != 0u);
}

fn cell_of(position: Vector, bucket: u32) -> Cell {
  return bucket;
}

fn lattice_of(cell: Cell) -> Lattice {
  return unflatten(min(cell, grid.cell_count - 1u), grid.cells);
}

fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  return all(abs(other - cell) <= Lattice(1));
}
