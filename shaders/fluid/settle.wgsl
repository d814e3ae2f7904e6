// Applies the settlement of settlement.wgsl. A particle is usually lowered by less than the last bit of its position.
// So a hash decides which positions round down, which keeps the mean right. Twin:
// src/methods/fluid/reference/energy.ts.
// Needs: WORKGROUP, linear_index, frame, settlement, ids, ACCOUNT, positions, STORED, is_finite_number, velocities.
// Needs: account, is_free_below, lowest_along.

// Hashes a coordinate and an id to [0, 1).
fn hash_of(value: f32, id: u32) -> f32 {
  var bits = bitcast<u32>(value) ^ (id * 0x9e3779b1u);
  bits = (bits ^ (bits >> 16u)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13u)) * 0xc2b2ae35u;
  return f32((bits ^ (bits >> 16u)) >> 8u) * 0x1p-24;
}

fn last_bit(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) & 0x7f800000u) * 0x1p-23;
}

@compute @workgroup_size(WORKGROUP)
fn settle(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_index(group, groups, thread);
  if (slot >= frame.cells.w) {
    return;
  }
  let share = settlement[0];
  let scale = settlement[1];
  let lowering = settlement[2];
  if (share == 0.0 && scale == 1.0 && lowering == 0.0) {
    return;
  }
  let id = ids[slot];
  let first = ACCOUNT * id + 1u + DIMENSIONS;
  var point = vec3f();
  var is_finite = true;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let at = positions[STORED * slot + axis];
    is_finite = is_finite && is_finite_number(at) && is_finite_number(velocities[STORED * slot + axis]);
    point[axis] = at;
  }
  if (!is_finite) {
    return;
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let entry = STORED * slot + axis;
    velocities[entry] = scale * (velocities[entry] - share * account[first + axis]);
  }
  if (lowering == 0.0 || !is_free_below(point)) {
    return;
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    if (frame.gravity[axis] != 0.0) {
      let at = point[axis];
      let drawn = (hash_of(at, id) - 0.5) * last_bit(at);
      positions[STORED * slot + axis] = at - (lowering * (at - lowest_along(axis)) + drawn);
    }
  }
}
