// Subtracts pressure differences from the velocities of faces. The first workgroup also judges the solver's last
// step and makes the solver ready for the next substep. Twin: src/methods/fluid/reference/project.ts.
// Needs: WORKGROUP, judge, solver, frame, linear_index, coupling, pressure, velocity.

@compute @workgroup_size(WORKGROUP)
fn project(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (all(group == vec3u())) {
    judge(thread);
    if (thread == 0u) {
      // Written as a negation, so that the test is also true for a NaN.
      if (!(solver.left <= frame.rules.w)) {
        solver.unconverged += 1u;
      }
      solver.substeps += 1u;
      solver.begun = 0u;
      atomicStore(&solver.done, 0u);
    }
  }
  let index = linear_index(group, groups, thread);
  if (index >= frame.sizes.w) {
    return;
  }
  let entry = frame.strides.w + index;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let value = coupling[axis * frame.sizes.y + entry];
    if (value != 0.0) {
      let difference = pressure[entry] - pressure[entry - frame.strides[axis]];
      velocity[axis * frame.sizes.x + entry] -= value * difference;
    }
  }
}
