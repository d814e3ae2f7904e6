// Positions and differences in a world without periodic axes, where nothing wraps. world/space_periodic.wgsl provides
// the same names for periodic worlds and describes them. Twin: src/core/world/cells.ts.

fn wrap_once(position: Vector) -> Vector {
  return position;
}

// Keeps all bits, even those of a NaN.
fn wrap_stored(body: PackedBody) -> PackedBody {
  return body;
}

fn wrap(position: Vector) -> Vector {
  return position;
}

// Returns the difference from `other` to `position`.
fn minimum_image(position: Vector, other: Vector) -> Vector {
  return position - other;
}
