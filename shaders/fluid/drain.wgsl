// Sets aside the particles in drains: their positions are no longer finite, so that nothing counts them in, and each is marked by
// its id. Twin: src/methods/fluid/reference/drain.ts.

// NaN, whose bits are written, since a number that is none can be written no other way.
const NOWHERE = 0x7fc00000u;

fn is_taken(drain: Drain, place: vec3f) -> bool {
  let way = place - drain.low.xyz;
  if (drain.low.w > 0.0) {
    return dot(way, way) < drain.low.w;
  }
  var inside = true;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    inside = inside && place[axis] >= drain.low[axis] && place[axis] < drain.high[axis];
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
  var place = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    place[axis] = bitcast<f32>(positions[STORED * slot + axis]);
    if (!is_finite_number(place[axis])) {
      return;
    }
  }
  for (var drain = 0u; drain < frame.grid_last.w; drain++) {
    if (is_taken(frame.drains[drain], place)) {
      for (var axis = 0u; axis < DIMENSIONS; axis++) {
        positions[STORED * slot + axis] = NOWHERE;
      }
      marks[ids[slot]] = 1u;
      return;
    }
  }
}
