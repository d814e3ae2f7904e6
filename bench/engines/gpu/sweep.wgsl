// Sweep and prune along x. `give_bounds` says where each body begins, to be sorted by; `sweep` walks from each body forward
// until one begins where it ends. Of two that overlap the one that begins first meets the other, whatever their radii; of two
// that begin at the same place, the one in the lower slot.

#if BOUNDS
#else
// Slots.
#endif

// Equal bodies begin at their centres and are a diameter long, which rounds less.
fn lower_of(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return place_of(body).x - radius_of(body);
#else
  return place_of(body).x;
#endif
}

fn upper_of_body(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return place_of(body).x + radius_of(body);
#else
  return place_of(body).x + substep.diameter;
#endif
}

#if BOUNDS
@compute @workgroup_size(WORKGROUP_SIZE)
fn give_bounds(
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
// `bodies` are the sorted ones here.
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
