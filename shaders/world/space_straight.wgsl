// Positions and differences in a world that does not wrap. Defines the names of space_periodic.wgsl.

fn wrap_once(position: Vector) -> Vector {
  return position;
}

// Keeps all bits, even of a NaN.
fn wrap_stored(body: PackedBody) -> PackedBody {
  return body;
}

fn wrap(position: Vector) -> Vector {
  return position;
}

fn minimum_image(position: Vector, other: Vector) -> Vector {
  return position - other;
}
