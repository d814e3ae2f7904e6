// Space whose chosen axes wrap around: those with a `grid.period` above 0. The other kind is in space_straight.wgsl,
// with the same names. Twin: src/core/world/cells.ts.

// Positions up to a period outside are brought in before anything is decided by them. Sums only: a product
// might be fused in one kernel and not in another, and a particle be counted in one cell and stored in the next.
fn wrap_once(position: Vector) -> Vector {
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

fn stored_at(body: PackedBody) -> PackedBody {
  let position = place_of(body);
  if (is_finite(position)) {
    return with_place(body, wrap_once(position));
  }
  return body;
}

// Any number of periods, where the kernel stores what it gets: elsewhere the sums of `wrapped` must do. So far out
// that its place in a period is noise, a particle goes to the low end.
fn wrap(position: Vector) -> Vector {
  let far = grid.origin + grid.period;
  let outside = (position < grid.origin - grid.period) | (position >= far + grid.period);
  let beyond = outside & (grid.period > Vector());
  let periods = floor((position - grid.origin) * grid.inverse_period);
  let moved = wrap_once(select(position, position - grid.period * periods, beyond));
  let inside = (moved >= grid.origin) & (moved < far);
  return select(moved, grid.origin, beyond & !inside);
}

// The shortest of the ways from any image of `other`. Antisymmetric to the bit: `round` goes to even, and the
// products with −1, 0 or 1 are exact. Where the box begins at 0, the period is taken off the higher coordinate
// first, which rounds nothing.
fn minimum_image(place: Vector, other: Vector) -> Vector {
  let apart = place - other;
  let periods = round(apart * grid.inverse_period);
  let from_zero = grid.origin == Vector();
  let near = apart - grid.period * periods;
  let above = select(near, (place - grid.period) - other, from_zero & (periods == Vector(1.0)));
  return select(above, place - (other - grid.period), from_zero & (periods == Vector(-1.0)));
}
