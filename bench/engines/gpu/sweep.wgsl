// Sweep and prune along x. `write_bounds` writes the key of the sort: the lower end of each body. `sweep` compares each
// body with the bodies in higher slots whose lower ends are below its upper end. So every pair is found once, from its
// lower slot. `slice` is the range of slots that this dispatch sweeps.

// With equal radii, an interval begins at the centre and is a diameter long, which saves a rounding.
fn lower_of(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return body_position(body).x - radius_of(body);
#else
  return body_position(body).x;
#endif
}

fn upper_of_body(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return body_position(body).x + radius_of(body);
#else
  return body_position(body).x + substep.diameter;
#endif
}

#if BOUNDS
@compute @workgroup_size(WORKGROUP_SIZE)
fn write_bounds(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id < grid.count) {
    bounds[id] = lower_of(bodies[id]);
    ids[id] = id;
  }
}
#else
// Input: `bodies` and `ids`, sorted by lower end.
@compute @workgroup_size(WORKGROUP_SIZE)
fn sweep(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (index >= slice.count) {
    return;
  }
  let slot = slice.first + index;
  let body = bodies[slot];
  let upper = upper_of_body(body);
  let equal_reach = substep.diameter_squared;
  let count = grid.count;
  var found = Found();
  for (var other = slot + 1u; other < count; other++) {
    let candidate = bodies[other];
    if (lower_of(candidate) >= upper) {
      break;
    }
    if (overlaps(body, candidate, equal_reach)) {
      find_pair(&found, ids[slot], ids[other]);
    }
  }
  fold_found(found, slot);
}
#endif
