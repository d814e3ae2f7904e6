// Moves particles to the ends of their paths and stores the velocities that strike.wgsl wrote to `struck`.
// Needs: linear_workgroup, path_count, slot_of_path, way_of, counter_at, hits, time_of_key, counters, OBSTACLE_PARTNER.
// Needs: claims, id_in, velocity_in, struck, position_at, margin_of, position_in, substep, TO_WALL, diameter_squared.
// Needs: wrap.

@compute @workgroup_size(WORKGROUP_SIZE)
fn land(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
    let slot = slot_of_path(path);
    let way = way_of(slot);
    let unsettled = counter_at(CCD_UNSETTLED);
    let hit = hits[slot];
    let is_settled = hit.x < unsettled;
    let time = time_of_key(min(hit.x, unsettled));
    if (is_settled && hit.y != NO_PARTNER) {
      atomicAdd(&counters[CCD_HITS], 1u);
      if (hit.y < OBSTACLE_PARTNER) {
        let partner = hit.y;
        // Several paths may hit a slow partner. Only the path that claimed it changes its velocity. Fast partners are
        // never claimed.
        if (atomicLoad(&claims[2u * partner + 1u]) == ~id_in[slot]) {
          velocity_in[partner] = struck[partner];
          atomicStore(&claims[2u * partner], 0u);
          atomicStore(&claims[2u * partner + 1u], 0u);
        }
      }
    } else if (time < 1.0) {
      atomicAdd(&counters[CCD_HELD], 1u);
    }
    if (time < 1.0) {
      var position = position_at(slot, way, time);
      // Times are rounded down to a tick, which leaves a gap to the wall. A long gap could lead through other
      // particles, so only a short one is closed.
      if (is_settled && hit.y >= WALL_PARTNER && hit.y != NO_PARTNER) {
        let axis = hit.y - WALL_PARTNER;
        let margin = margin_of(position_in[slot])[axis];
        let limit = select(substep.lower[axis] + margin, substep.upper[axis] - margin, way[axis] > 0.0);
        let gap = limit - position[axis];
        if (gap * gap <= TO_WALL * TO_WALL * diameter_squared(position_in[slot])) {
          position[axis] = limit;
        }
      }
      position_in[slot] = with_position(position_in[slot], wrap(position));
    }
    velocity_in[slot] = struck[slot];
  }
}
