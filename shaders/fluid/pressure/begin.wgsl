// Begins the conjugate gradients. The residual (`right`) is the right-hand side, minus its mean if there is no surface.
// Twin: src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, frame, pressure, solution, diagonal, right, solver, store_partial.

@compute @workgroup_size(WORKGROUP)
fn begin(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var greatest = 0.0;
  for (
    var index = group.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += groups.x * WORKGROUP
  ) {
    let entry = frame.strides.w + index;
    pressure[entry] = 0.0;
    solution[entry] = 0.0;
    if (diagonal[entry] > 0.0) {
      let row = right[entry] - solver.mean;
      right[entry] = row;
      greatest = max(greatest, abs(row));
    }
  }
  store_partial(vec4f(0.0, 0.0, greatest, 0.0), group.x, thread);
}
