// Residual · preconditioned residual.

@compute @workgroup_size(WORKGROUP)
fn multiply(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = 0.0;
  for (
    var index = workgroup.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += workgroups.x * WORKGROUP
  ) {
    let entry = frame.strides.w + index;
    own += right[entry] * solution[entry];
  }
  leave(vec4f(own, 0.0, 0.0, 0.0), workgroup.x, thread);
}
