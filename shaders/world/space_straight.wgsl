// Positions and differences in a world without periodic axes: nothing wraps. world/space_periodic.wgsl provides the
// same names for periodic worlds. Twin: src/core/world/cells.ts.

// In a periodic world, wraps positions up to one period outside, by sums alone.
fn wrap_once(position: Vector) -> Vector {
  return position;
}

// In a periodic world, does so for a stored body. Here it keeps all bits, whatever they are.
fn stored_at(body: PackedBody) -> PackedBody {
  return body;
}

// In a periodic world, wraps from any number of periods away.
fn wrap(position: Vector) -> Vector {
  return position;
}

// The difference from `other` to `position`.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  return position - other;
}
