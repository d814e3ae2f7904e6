// Steps along the direction, writes the greatest residual and zeroes `solution` for the next V-cycle. Twin:
// src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, frame, pressure, solver, direction, right, image, solution, store_partial.

@compute @workgroup_size(WORKGROUP)
fn update(
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
    pressure[entry] += solver.step * direction[entry];
    let row = right[entry] - solver.step * image[entry];
    right[entry] = row;
    solution[entry] = 0.0;
    greatest = max(greatest, abs(row));
  }
  store_partial(vec4f(0.0, 0.0, greatest, 0.0), group.x, thread);
}
