// Computes the next direction: `solution` plus a share of the last direction. Twin:
// src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, linear_index, frame, solver, direction, solution.

@compute @workgroup_size(WORKGROUP)
fn turn(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_index(group, groups, thread);
  if (index >= frame.sizes.w) {
    return;
  }
  let entry = frame.strides.w + index;
  // If the share is 0, `direction` may hold a NaN from an earlier substep, and 0 × NaN is NaN.
  let kept = select(solver.share * direction[entry], 0.0, solver.share == 0.0);
  direction[entry] = solution[entry] + kept;
}
