// Copies face velocities to `before`. Then each face between a solid cell and another cell gets the velocity of the
// solid, and gravity is added at the other faces of fluid cells. `known` gets a bit per node and axis, which says
// whether the velocity of the node's lower face is known. Twin: src/methods/fluid/reference/faces.ts.
// Needs: WORKGROUP, linear_index, frame, node_at, entry_at, kinds, before, velocity, is_face, SOLID, FLUID, known.

@compute @workgroup_size(WORKGROUP)
fn drive(
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
  let upper = kinds[entry];
  var bits = 0u;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let face = axis * frame.sizes.x + entry;
    before[face] = velocity[face];
    if (!is_face(at, axis, frame.cells)) {
      continue;
    }
    var lower = SOLID;
    if (at[axis] > 0u) {
      lower = kinds[entry - frame.strides[axis]];
    }
    if (lower >= SOLID && upper >= SOLID) {
      continue;
    }
    if (lower >= SOLID || upper >= SOLID) {
      let solid = max(lower, upper);
      velocity[face] = 0.0;
      if (solid > SOLID) {
        velocity[face] = frame.obstacles[solid - SOLID - 1u].velocity[axis];
      }
      bits |= 1u << axis;
    } else if (lower == FLUID || upper == FLUID) {
      velocity[face] += frame.gain[axis];
      bits |= 1u << axis;
    }
  }
  known[entry] = bits;
}
