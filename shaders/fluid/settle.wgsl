// Velocities keep what the settlement leaves them. Twin: src/fluid/reference/energy.ts.

@compute @workgroup_size(WORKGROUP)
fn settle(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_index(group, groups, thread);
  if (slot >= frame.cells.w) {
    return;
  }
  let share = settlement[0];
  let scale = settlement[1];
  if (share == 0.0 && scale == 1.0) {
    return;
  }
  let first = ACCOUNT * ids[slot] + 1u + DIMENSIONS;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let entry = STORED * slot + axis;
    if (is_finite_number(velocities[entry])) {
      velocities[entry] = scale * (velocities[entry] - share * account[first + axis]);
    }
  }
}
