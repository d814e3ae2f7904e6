// Copies bodies into sorted order. Inputs: bodies by id, and the id of the body of each slot. Output: bodies by slot.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot < grid.count) {
    sorted[slot] = bodies[min(ids[slot], grid.count - 1u)];
  }
}
