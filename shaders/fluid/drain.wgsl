// Drains particles: marks their ids and makes their positions NaN, so later stages ignore them. Twin:
// src/methods/fluid/reference/drain.ts.
// Needs: Drain, WORKGROUP, linear_index, frame, positions, STORED, is_finite_number, marks, ids.

fn is_taken(drain: Drain, point: vec3f) -> bool {
  let offset = point - drain.low.xyz;
  if (drain.low.w > 0.0) {
    return dot(offset, offset) < drain.low.w;
  }
  var inside = true;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    inside = inside && point[axis] >= drain.low[axis] && point[axis] < drain.high[axis];
  }
  return inside;
}

@compute @workgroup_size(WORKGROUP)
fn set_aside(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_index(group, groups, thread);
  if (slot >= frame.cells.w) {
    return;
  }
  var point = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    point[axis] = bitcast<f32>(positions[STORED * slot + axis]);
    if (!is_finite_number(point[axis])) {
      return;
    }
  }
  for (var drain = 0u; drain < frame.grid_last.w; drain++) {
    if (is_taken(frame.drains[drain], point)) {
      for (var axis = 0u; axis < DIMENSIONS; axis++) {
        positions[STORED * slot + axis] = NOT_A_NUMBER;
      }
      marks[ids[slot]] = 1u;
      return;
    }
  }
}
