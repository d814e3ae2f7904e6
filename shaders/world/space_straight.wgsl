// Space that does not wrap around: a position is where it is, and there is one way from each to each. The other kind
// is in space_periodic.wgsl, with the same names. Twin: src/core/world/cells.ts.

// Where a position belongs: brought in by sums alone, so that every kernel finds the same.
fn wrap_once(position: Vector) -> Vector {
  return position;
}

// The same for a position as it lies in memory: to the bit, whatever it is.
fn stored_at(body: PackedBody) -> PackedBody {
  return body;
}

// The same for a position that may have gone any way in one pass.
fn wrap(position: Vector) -> Vector {
  return position;
}

// The way from `other` to `place`.
fn minimum_image(place: Vector, other: Vector) -> Vector {
  return place - other;
}
