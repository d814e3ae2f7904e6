// Positions and differences in a periodic world. Twin: src/core/world/cells.ts.
// Needs: grid, snap, is_finite.

// Wraps a position that is outside the world by at most one period. Uses sums only: a product might be fused in one
// kernel and not in another, and the kernels would disagree about the cell.
fn wrap_once(position: Vector) -> Vector {
  let periodic = grid.period > Vector();
  let far = grid.origin + grid.period;
  let lowered = max(grid.origin, position - grid.period);
  let inside = select(position, lowered, periodic & (position >= far));
  // Rounding may bring `above` to the far end. It may also bring a position almost one period below the low end just
  // short of the low end. Both become the low end.
  let above = position + grid.period;
  let short = (above < grid.origin) & (position >= grid.origin - grid.period);
  let raised = select(above, grid.origin, (above >= far) | short);
  return select(inside, raised, periodic & (snap(position - grid.origin) < Vector()));
}

fn wrap_stored(body: PackedBody) -> PackedBody {
  let position = body_position(body);
  if (is_finite(position)) {
    return with_position(body, wrap_once(position));
  }
  return body;
}

// Wraps a position from any number of periods away. Kernels may round its product differently: if they must agree about
// a cell, use wrap_once. If rounding leaves a coordinate outside the world, it becomes the low end.
fn wrap(position: Vector) -> Vector {
  let far = grid.origin + grid.period;
  let outside = (position < grid.origin - grid.period) | (position >= far + grid.period);
  let beyond = outside & (grid.period > Vector());
  let periods = floor((position - grid.origin) * grid.inverse_period);
  let moved = wrap_once(select(position, position - grid.period * periods, beyond));
  let inside = (moved >= grid.origin) & (moved < far);
  return select(moved, grid.origin, beyond & !inside);
}

// The result is antisymmetric to the bit: `round` rounds halves to even, and products with −1, 0 or 1 are exact. If the
// world begins at 0, the period is first subtracted from the higher coordinate. This subtraction is exact.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  let apart = position - other;
  let periods = round(apart * grid.inverse_period);
  let from_zero = grid.origin == Vector();
  let near = apart - grid.period * periods;
  let above = select(near, (position - grid.period) - other, from_zero & (periods == Vector(1.0)));
  return select(above, position - (other - grid.period), from_zero & (periods == Vector(-1.0)));
}
