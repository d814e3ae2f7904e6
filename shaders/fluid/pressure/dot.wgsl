// Computes the dot product of the residual (`right`) and the preconditioned residual (`solution`). Twin:
// src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, frame, right, solution, store_partial.

@compute @workgroup_size(WORKGROUP)
fn multiply(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = 0.0;
  for (
    var index = group.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += groups.x * WORKGROUP
  ) {
    let entry = frame.strides.w + index;
    own += right[entry] * solution[entry];
  }
  store_partial(vec4f(own, 0.0, 0.0, 0.0), group.x, thread);
}
