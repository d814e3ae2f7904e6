// Cells of an exact simulation. A cell is as wide as a particle: a number of quanta that is a power of two. The last
// cell along each axis also holds the rest of the world. Positions are whole numbers from the low corner, so every
// device finds the same cells. Takes the place of space_*.wgsl, cells_dense.wgsl, bounded.wgsl and periodic.wgsl.
// Needs: grid, substep, outer_bucket.

// The index of a slot's cell, stored until the next sort.
alias Cell = u32;

const NOWHERE = Cell(0xffffffffu);

// Removed particles have this number as their first coordinate.
const ABSENT = -2147483647i - 1i;

fn is_present(quanta: Lattice) -> bool {
  return quanta.x != ABSENT;
}

fn is_in_grid(cell: Cell) -> bool {
  return cell < grid.cell_count;
}

fn lattice_at(quanta: Lattice) -> Lattice {
  let last = Lattice(grid.cells - 2u * grid.ring) - Lattice(1);
  return clamp(quanta >> Extent(substep.quanta_bits), Lattice(), last) + Lattice(grid.ring);
}

fn bucket_of(quanta: Lattice, id: u32) -> u32 {
  if (is_present(quanta)) {
    return flatten(lattice_at(quanta), grid.cells);
  }
  return outer_bucket(id);
}

fn cell_of(quanta: Lattice, bucket: u32) -> Cell {
  return bucket;
}

fn lattice_of(cell: Cell) -> Lattice {
  return unflatten(min(cell, grid.cell_count - 1u), grid.cells);
}

// Also compares across the ends of every axis. Along an axis with a ring, this has no effect, because the outermost
// cells never hold a particle.
fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  let away = abs(other - cell);
  return all((away <= Lattice(1)) | (away == Lattice(grid.cells) - Lattice(1)));
}

fn wrap_stored(body: PackedBody) -> PackedBody {
  return body;
}

// Floats only find candidates, so rounding does not matter here.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  let apart = position - other;
  return apart - grid.period * round(apart * grid.inverse_period);
}
