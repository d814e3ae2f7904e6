// Positions and differences in a periodic world. The periodic axes are those with a `grid.period` above 0.
// world/space_straight.wgsl provides the same names for other worlds. Twin: src/core/world/cells.ts.
// Needs: grid, snap, is_finite.

// Wraps positions up to one period outside, before anything depends on them. Uses sums only: a product might be fused
// in one kernel and not in another, which could count a particle in one cell and store it in another.
fn wrap_once(position: Vector) -> Vector {
  let periodic = grid.period > Vector();
  let far = grid.origin + grid.period;
  let lowered = max(grid.origin, position - grid.period);
  let inside = select(position, lowered, periodic & (position >= far));
  // Rounding may turn a coordinate just below the low end into the far end; it then becomes the low end. A coordinate
  // one period below the low end may come out just below it.
  let above = position + grid.period;
  let short = (above < grid.origin) & (position >= grid.origin - grid.period);
  let raised = select(above, grid.origin, (above >= far) | short);
  return select(inside, raised, periodic & (snap(position - grid.origin) < Vector()));
}

fn stored_at(body: PackedBody) -> PackedBody {
  let position = body_position(body);
  if (is_finite(position)) {
    return with_position(body, wrap_once(position));
  }
  return body;
}

// Wraps from any number of periods away. Only for kernels that store the result; others must use the sums of
// `wrap_once`. If a particle is so far out that its remainder is only noise, it is set to the low end.
fn wrap(position: Vector) -> Vector {
  let far = grid.origin + grid.period;
  let outside = (position < grid.origin - grid.period) | (position >= far + grid.period);
  let beyond = outside & (grid.period > Vector());
  let periods = floor((position - grid.origin) * grid.inverse_period);
  let moved = wrap_once(select(position, position - grid.period * periods, beyond));
  let inside = (moved >= grid.origin) & (moved < far);
  return select(moved, grid.origin, beyond & !inside);
}

// The shortest difference from any image of `other` to `position`. Antisymmetric to the bit: `round` rounds to even,
// and products with −1, 0 or 1 are exact. If the box begins at 0, the period is subtracted from the higher coordinate
// first, which rounds nothing.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  let apart = position - other;
  let periods = round(apart * grid.inverse_period);
  let from_zero = grid.origin == Vector();
  let near = apart - grid.period * periods;
  let above = select(near, (position - grid.period) - other, from_zero & (periods == Vector(1.0)));
  return select(above, position - (other - grid.period), from_zero & (periods == Vector(-1.0)));
}
