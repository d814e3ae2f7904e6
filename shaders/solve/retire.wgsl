// Marks the particles that leave: their id gets RETIRED_BIT and their position NaN, so that the next sort files them
// behind all others. Inputs: one bit an id. In place.

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
  let name = id[slot];
  if (((leaving[name / 32u] >> (name % 32u)) & 1u) != 0u) {
    id[slot] = name | RETIRED_BIT;
    position[slot] = set_aside(position[slot]);
  }
}
