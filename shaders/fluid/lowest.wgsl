// Says how low particles can fall, and which of them may be lowered. Linked with kernels that use heights.
// Needs: frame, MOST_LOWERING, kinds, entry_at, SOLID.

fn lowest_along(axis: u32) -> f32 {
  return select(0.0, f32(frame.cells[axis]) * frame.scale.z, frame.gravity[axis] > 0.0);
}

// Returns true if a particle stays in the tank and outside masked cells when lowered as far as allowed.
fn is_free_below(point: vec3f) -> bool {
  var aim = point;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    if (frame.gravity[axis] != 0.0) {
      aim[axis] -= MOST_LOWERING * (point[axis] - lowest_along(axis));
    }
  }
  let cell = floor(aim * frame.scale.y);
  if (any(cell < vec3f()) || any(cell >= vec3f(frame.cells.xyz))) {
    return false;
  }
  return kinds[entry_at(vec3u(cell), frame.strides)] != SOLID;
}
