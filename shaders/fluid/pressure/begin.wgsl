// Begins the conjugate gradients. The residual (`right`) is the right-hand side, minus its mean if there is no surface.
// Twin: src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, total_of, frame, pressure, solution, image, diagonal, right, store_partial, RESIDUALS.

@compute @workgroup_size(WORKGROUP)
fn begin(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let rows = total_of(ROWS, thread);
  let mean = select(0.0, rows.x / rows.y, rows.z == 0.0 && rows.y > 0.0);
  var greatest = 0.0;
  for (
    var index = group.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += groups.x * WORKGROUP
  ) {
    let entry = frame.strides.w + index;
    pressure[entry] = 0.0;
    solution[entry] = 0.0;
    image[entry] = 0.0;
    if (diagonal[entry] > 0.0) {
      let row = right[entry] - mean;
      right[entry] = row;
      greatest = max(greatest, abs(row));
    }
  }
  store_partial(vec4f(0.0, 0.0, greatest, 0.0), RESIDUALS + group.x, thread);
}
