// Particles to grid: each node gathers, from the cells around, the velocities of its lower faces and how many particles are
// at the middle of its cell, with weights that fall off linearly over one cell. Neighbours come in ascending slots, so that the
// same particles give the same bits. Particles are in the order of the sorted grid. Twin: src/fluid/reference/transfer.ts.

@compute @workgroup_size(WORKGROUP)
fn transfer(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_index(group, groups, thread);
  if (index >= frame.sizes.w) {
    return;
  }
  let at = node_at(index, frame.strides);
  let node = vec3f(at);
  let first = max(vec3i(at) - 1, vec3i(0));
  let last = min(vec3i(at) + 1, vec3i(frame.grid_last.xyz));
  var sums = vec3f();
  var weights = vec3f();
  var together = 0.0;
  for (var z = first.z; z <= last.z; z++) {
    for (var y = first.y; y <= last.y; y++) {
      let row = frame.grid_strides.w + u32(y) * frame.grid_strides.y + u32(z) * frame.grid_strides.z;
      // Never more than all, so that not even a broken grid holds up the device.
      let begin = start[row + u32(first.x)];
      let end = min(start[row + u32(last.x) + 1u], frame.cells.w);
      for (var slot = begin; slot < end; slot++) {
        var place = vec3f();
        var speed = vec3f();
        for (var axis = 0u; axis < DIMENSIONS; axis++) {
          place[axis] = positions[STORED * slot + axis] * frame.scale.y;
          speed[axis] = velocities[STORED * slot + axis];
        }
        if (!is_finite_number(speed.x) || !is_finite_number(speed.y) || !is_finite_number(speed.z)) {
          continue;
        }
        let way = place - node;
        let face = max(vec3f(), 1.0 - abs(way));
        var middle = max(vec3f(), 1.0 - abs(way - 0.5));
        if (DIMENSIONS == 2u) {
          middle.z = 1.0;
        }
        let near = vec3f(face.x * middle.y * middle.z, middle.x * face.y * middle.z, middle.x * middle.y * face.z);
        if (APIC) {
          let own = DIMENSIONS * DIMENSIONS * ids[slot];
          for (var axis = 0u; axis < DIMENSIONS; axis++) {
            for (var along = 0u; along < DIMENSIONS; along++) {
              let to_face = select(0.5, 0.0, along == axis) - way[along];
              speed[axis] += affine[own + DIMENSIONS * axis + along] * to_face;
            }
          }
        }
        sums += near * speed;
        weights += near;
        together += middle.x * middle.y * middle.z;
      }
    }
  }
  let entry = entry_at(at, frame.strides);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let known = is_face(at, axis, frame.cells) && weights[axis] > 0.0;
    velocity[axis * frame.sizes.x + entry] = select(0.0, sums[axis] / weights[axis], known);
  }
  crowd[entry] = select(0.0, together, is_cell(at, frame.cells));
}
