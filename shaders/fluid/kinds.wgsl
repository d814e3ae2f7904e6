// Computes the kind of each cell: solid if it is masked or its centre is far enough inside an obstacle, otherwise fluid
// if it holds a particle, otherwise air. Twin: src/methods/fluid/reference/cells.ts.
// Needs: Obstacle, SOLID_DEPTH, frame, WORKGROUP, linear_index, node_at, entry_at, is_cell, mask, kinds, SOLID, start.
// Needs: AIR, FLUID.

fn is_inside(obstacle: Obstacle, point: vec3f) -> bool {
  let offset = point - obstacle.position.xyz;
  let depth = SOLID_DEPTH * frame.scale.z;
  let radius = obstacle.position.w;
  let inner = max(radius - depth, 0.0);
  let is_in_box = all(abs(offset) < obstacle.half_extents.xyz - depth);
  return select(is_in_box, dot(offset, offset) < inner * inner, radius > 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn mark_kinds(
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
  if (!is_cell(at, frame.cells) || mask[entry] != 0u) {
    kinds[entry] = SOLID;
    return;
  }
  var point = (vec3f(at) + 0.5) * frame.scale.z;
  if (DIMENSIONS == 2u) {
    point.z = 0.0;
  }
  for (var obstacle = 0u; obstacle < frame.sizes.z; obstacle++) {
    if (is_inside(frame.obstacles[obstacle], point)) {
      kinds[entry] = SOLID + 1u + obstacle;
      return;
    }
  }
  // Rounding puts some particles of the last cell into grid cells beyond it. These grid cells count as part of it.
  let last = select(at, frame.grid_last.xyz, at + 1u == frame.cells.xyz);
  var inside = 0u;
  for (var z = at.z; z <= last.z; z++) {
    for (var y = at.y; y <= last.y; y++) {
      let row = frame.grid_strides.w + y * frame.grid_strides.y + z * frame.grid_strides.z;
      inside += start[row + last.x + 1u] - start[row + at.x];
    }
  }
  kinds[entry] = select(AIR, FLUID, inside > 0u);
}
