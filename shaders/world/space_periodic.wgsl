// Positions and differences in a periodic world. An axis is periodic if its `grid.period` is above 0.
// world/space_straight.wgsl provides the same names for other worlds. Twin: src/core/world/cells.ts.
// Needs: grid, snap, is_finite.

// Wraps a position that is up to one period outside. Kernels call it before they use a position. It uses sums only: a
// product might be fused in one kernel and not in another. One kernel could then count a particle in one cell and
// another store it in the next cell.
fn wrap_once(position: Vector) -> Vector {
  let periodic = grid.period > Vector();
  let far = grid.origin + grid.period;
  let lowered = max(grid.origin, position - grid.period);
  let inside = select(position, lowered, periodic & (position >= far));
  // Rounding may bring `above` to the far end. It may leave `above` just below the low end if the position was one
  // period below. In both cases the result is the low end.
  let above = position + grid.period;
  let short = (above < grid.origin) & (position >= grid.origin - grid.period);
  let raised = select(above, grid.origin, (above >= far) | short);
  return select(inside, raised, periodic & (snap(position - grid.origin) < Vector()));
}

// Wraps a stored body by wrap_once; a position that is not finite stays as it is.
fn wrap_stored(body: PackedBody) -> PackedBody {
  let position = body_position(body);
  if (is_finite(position)) {
    return with_position(body, wrap_once(position));
  }
  return body;
}

// Wraps a position from any number of periods away. Only for the origins of rays and for kernels that store the result;
// all others must use the sums of wrap_once. A coordinate so far out that its remainder is only rounding noise is set
// to the low end.
fn wrap(position: Vector) -> Vector {
  let far = grid.origin + grid.period;
  let outside = (position < grid.origin - grid.period) | (position >= far + grid.period);
  let beyond = outside & (grid.period > Vector());
  let periods = floor((position - grid.origin) * grid.inverse_period);
  let moved = wrap_once(select(position, position - grid.period * periods, beyond));
  let inside = (moved >= grid.origin) & (moved < far);
  return select(moved, grid.origin, beyond & !inside);
}

// Returns the shortest difference from any image of `other` to `position`. It is antisymmetric to the bit: `round`
// rounds halves to even, and products with −1, 0 or 1 are exact. If the box begins at 0, subtracts the period from the
// higher coordinate before taking the difference, because that subtraction is exact.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  let apart = position - other;
  let periods = round(apart * grid.inverse_period);
  let from_zero = grid.origin == Vector();
  let near = apart - grid.period * periods;
  let above = select(near, (position - grid.period) - other, from_zero & (periods == Vector(1.0)));
  return select(above, position - (other - grid.period), from_zero & (periods == Vector(-1.0)));
}
