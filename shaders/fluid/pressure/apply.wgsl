// Applies the pressure equations to the search direction, writes the result to `image`, and sums direction · image.
// Twin: src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, frame, diagonal, direction, coupling, image, store_partial.

@compute @workgroup_size(WORKGROUP)
fn apply(
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
    let weight = diagonal[entry];
    var sum = 0.0;
    if (weight > 0.0) {
      sum = weight * direction[entry];
      for (var axis = 0u; axis < DIMENSIONS; axis++) {
        let stride = frame.strides[axis];
        let face = axis * frame.sizes.y + entry;
        sum -= coupling[face] * direction[entry - stride] + coupling[face + stride] * direction[entry + stride];
      }
      own += sum * direction[entry];
    }
    image[entry] = sum;
  }
  store_partial(vec4f(own, 0.0, 0.0, 0.0), group.x, thread);
}
