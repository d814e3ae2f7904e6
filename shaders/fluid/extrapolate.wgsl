// Extends known velocities by one layer: an unknown face gets the mean of its known neighbours. Reads only known faces
// and writes only unknown ones, so the order of threads does not matter. Twin: src/methods/fluid/reference/project.ts.
// Needs: WORKGROUP, linear_index, frame, node_at, entry_at, known, is_face, velocity, IS_LAST, known_after.

@compute @workgroup_size(WORKGROUP)
fn extrapolate(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_index(group, groups, thread);
  if (index >= frame.sizes.w) {
    return;
  }
  let at = node_at(index, frame.strides);
  let entry = entry_at(at, frame.strides);
  var bits = known[entry];
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let bit = 1u << axis;
    if ((bits & bit) != 0u || !is_face(at, axis, frame.cells)) {
      continue;
    }
    var sum = 0.0;
    var count = 0.0;
    for (var along = 0u; along < DIMENSIONS; along++) {
      let stride = frame.strides[along];
      let end = frame.cells[along] + select(0u, 1u, along == axis);
      if (at[along] > 0u && (known[entry - stride] & bit) != 0u) {
        sum += velocity[axis * frame.sizes.x + entry - stride];
        count += 1.0;
      }
      if (at[along] + 1u < end && (known[entry + stride] & bit) != 0u) {
        sum += velocity[axis * frame.sizes.x + entry + stride];
        count += 1.0;
      }
    }
    let face = axis * frame.sizes.x + entry;
    if (count > 0.0) {
      velocity[face] = sum / count;
      bits |= bit;
    } else if (IS_LAST) {
      // After the last layer, a face that is still unknown is far from all fluid.
      velocity[face] = 0.0;
    }
  }
  known_after[entry] = bits;
}
