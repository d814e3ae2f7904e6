// Marks removed particles: sets RETIRED_BIT in the id and makes the position NaN, in place. The next sort puts them
// last. `leaving` has one bit per id.
// Needs: linear_workgroup, grid, id, leaving, position.

// `position` is bound as bits, because WGSL cannot write a NaN as a float.

@compute @workgroup_size(WORKGROUP_SIZE)
fn retire(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let own_id = id[slot];
  if (((leaving[own_id / 32u] >> (own_id % 32u)) & 1u) != 0u) {
    id[slot] = own_id | RETIRED_BIT;
    position[slot] = with_nan(position[slot]);
  }
}
