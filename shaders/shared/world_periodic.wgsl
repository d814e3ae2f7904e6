// The periodic world: a box whose chosen axes wrap around. Needs cells_dense. Twin: src/core/cells.ts.
// Along a periodic axis there is no ring of empty cells: `grid.ring` is 0, the first and the last cell are
// neighbours, and the last may be up to twice as wide. Along the others `grid.period` is 0, and all is as in
// world_bounded.wgsl.

// Positions up to a period outside are brought in before anything is decided by them. Sums only: a product
// might be fused in one kernel and not in another, and a particle be counted in one cell and stored in the next.
fn wrapped(position: Vector) -> Vector {
  let periodic = grid.period > Vector();
  let far = grid.origin + grid.period;
  let lowered = max(grid.origin, position - grid.period);
  let inside = select(position, lowered, periodic & (position >= far));
  // Just below the low end is just below the far end, which rounding may make the far end: the low one. And what is
  // a period below it may come out just below it.
  let above = position + grid.period;
  let short = (above < grid.origin) & (position >= grid.origin - grid.period);
  let raised = select(above, grid.origin, (above >= far) | short);
  return select(inside, raised, periodic & (snap(position - grid.origin) < Vector()));
}

fn stored_at(stored: Stored) -> Stored {
  let position = load_vector(stored);
  if (is_finite(position)) {
    return store_vector(wrapped(position));
  }
  return stored;
}

// Any number of periods, where the kernel stores what it gets: elsewhere the sums of `wrapped` must do. So far out
// that its place in a period is noise, a particle goes to the low end.
fn carried(position: Vector) -> Vector {
  let far = grid.origin + grid.period;
  let outside = (position < grid.origin - grid.period) | (position >= far + grid.period);
  let beyond = outside & (grid.period > Vector());
  let periods = floor((position - grid.origin) * grid.inverse_period);
  let moved = wrapped(select(position, position - grid.period * periods, beyond));
  let inside = (moved >= grid.origin) & (moved < far);
  return select(moved, grid.origin, beyond & !inside);
}

// The shortest of the ways from any image of `other`. Antisymmetric to the bit: `round` goes to even, and the
// products with −1, 0 or 1 are exact. Where the box begins at 0, the period is taken off the higher coordinate
// first, which rounds nothing.
fn separation(place: Vector, other: Vector) -> Vector {
  let apart = place - other;
  let periods = round(apart * grid.inverse_period);
  let from_zero = grid.origin == Vector();
  let near = apart - grid.period * periods;
  let above = select(near, (place - grid.period) - other, from_zero & (periods == Vector(1.0)));
  return select(above, place - (other - grid.period), from_zero & (periods == Vector(-1.0)));
}

fn lattice_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrapped(position) - grid.origin) * grid.inverse_cell_size));
  let last = Vector(grid.cells - 2u * grid.ring - Extent(1u));
  return Lattice(clamp(scaled, Vector(), last)) + Lattice(grid.ring);
}

// Without a ring the ends touch; with one nothing ever is in the outermost cells.
fn are_adjacent(cell: Lattice, other: Lattice) -> bool {
  let away = abs(other - cell);
  return all((away <= Lattice(1)) | (away == Lattice(grid.cells) - Lattice(1)));
}
