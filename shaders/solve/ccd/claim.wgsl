// For each slow particle, chooses the one path that bounces off it. It chooses the settled hit with the lowest
// key; of equal keys, the one whose fast particle has the lowest id. A hit is settled if its key is below
// counters[CCD_UNSETTLED]. For each slot, `claims` holds the complements of key and id. So atomicMax finds the lowest,
// and 0 means that no path claims the particle.
// Needs: hits, counters, OBSTACLE_PARTNER, is_fast, way_of, position_in, linear_workgroup, path_count, slot_of_path.
// Needs: claims, id_in.

// Returns the slow particle of a settled hit, else NO_PARTNER.
fn slow_partner(slot: u32) -> u32 {
  let hit = hits[slot];
  if (hit.x >= counters[CCD_UNSETTLED] || hit.y >= OBSTACLE_PARTNER || is_fast(way_of(hit.y), position_in[hit.y])) {
    return NO_PARTNER;
  }
  return hit.y;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn claim_first(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
    let slot = slot_of_path(path);
    let partner = slow_partner(slot);
    if (partner != NO_PARTNER) {
      atomicMax(&claims[2u * partner], ~hits[slot].x);
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn claim_lowest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
    let slot = slot_of_path(path);
    let partner = slow_partner(slot);
    if (partner != NO_PARTNER && atomicLoad(&claims[2u * partner]) == ~hits[slot].x) {
      atomicMax(&claims[2u * partner + 1u], ~id_in[slot]);
    }
  }
}
