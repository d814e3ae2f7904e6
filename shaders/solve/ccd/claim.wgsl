// Chooses one path per slow particle to bounce off that particle, among the paths with a settled hit on the particle.
// The path with the lowest key (see impact.wgsl) is chosen, among equal keys the one with the lowest id. A hit is
// settled if its key is below the counter CCD_UNSETTLED.
// Output: `claims`, with the complements of the key and the id per slot. With complements, atomicMax finds the lowest
// key, and zeros mean that no path was chosen. Linked with counters_read.wgsl, paths.wgsl and impact.wgsl.
// Needs: hits, counters, OBSTACLE_PARTNER, is_fast, way_of, position_in, linear_workgroup, path_count, slot_of_path.
// Needs: claims, id_in.

// Returns the slow particle that a path hits, if the hit is settled; otherwise NO_PARTNER.
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
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let partner = slow_partner(slot);
  if (partner != NO_PARTNER) {
    atomicMax(&claims[2u * partner], ~hits[slot].x);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn claim_lowest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let partner = slow_partner(slot);
  if (partner != NO_PARTNER && atomicLoad(&claims[2u * partner]) == ~hits[slot].x) {
    atomicMax(&claims[2u * partner + 1u], ~id_in[slot]);
  }
}
