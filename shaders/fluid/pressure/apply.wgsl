// Applies the pressure equations to the preconditioned residual (`solution`), writes the result to `image`, and sums
// residual · solution and solution · image. Twin: src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, is_over, frame, diagonal, solution, coupling, right, image, store_partial, DOTS.

@compute @workgroup_size(WORKGROUP)
fn apply(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (is_over()) {
    return;
  }
  var own = vec4f();
  for (
    var index = group.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += groups.x * WORKGROUP
  ) {
    let entry = frame.strides.w + index;
    let weight = diagonal[entry];
    var sum = 0.0;
    if (weight > 0.0) {
      let value = solution[entry];
      sum = weight * value;
      for (var axis = 0u; axis < DIMENSIONS; axis++) {
        let stride = frame.strides[axis];
        let face = axis * frame.sizes.y + entry;
        sum -= coupling[face] * solution[entry - stride] + coupling[face + stride] * solution[entry + stride];
      }
      own += vec4f(right[entry] * value, value * sum, 0.0, 0.0);
    }
    image[entry] = sum;
  }
  store_partial(own, DOTS + group.x, thread);
}
