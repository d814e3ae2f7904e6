// The cell of a position, to the bit as src/core/cells.ts computes it. Needs params.

const SMALLEST_NORMAL = 0x1p-126f;
const EXPONENT_BITS = 0x7f800000u;
const MAGNITUDE_BITS = 0x7fffffffu;

// Implementations may flush subnormals or keep them; snapping makes both agree.
fn snap(vector: Vector) -> Vector {
  return select(vector, Vector(), abs(vector) < Vector(SMALLEST_NORMAL));
}

// The outermost cells stay empty, so that a probe around any cell stays inside the grid.
fn cell_of(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(position - grid.origin) * grid.inverse_cell_size));
  return Lattice(clamp(scaled, Vector(), Vector(grid.cells - Extent(3u)))) + Lattice(1);
}

// Compilers may assume that NaN and infinity do not exist, so the bits are asked.
fn is_finite(vector: Vector) -> bool {
  return all((bitcast<Extent>(vector) & Extent(EXPONENT_BITS)) != Extent(EXPONENT_BITS));
}

// Where a particle goes: its cell, the quarantine, or (its id marked) the exit.
fn bucket_of(position: Vector, id: u32) -> u32 {
  if (is_finite(position)) {
    return flatten(cell_of(position), grid.cells);
  }
  return select(grid.cell_count, grid.cell_count + 1u, (id & RETIRED_BIT) != 0u);
}
