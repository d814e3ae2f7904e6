// Computes the kind of each cell: solid, else fluid if the cell holds a particle, else air. Twin:
// src/methods/fluid/reference/cells.ts.
// Needs: Obstacle, WORKGROUP, linear_index, frame, node_at, entry_at, is_cell, mask, kinds, SOLID, start, AIR, FLUID.

fn is_inside(obstacle: Obstacle, point: vec3f) -> bool {
  let offset = point - obstacle.position.xyz;
  let radius = obstacle.position.w;
  return select(all(abs(offset) < obstacle.half_extents.xyz), dot(offset, offset) < radius * radius, radius > 0.0);
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
  // The last cells also hold particles that rounding puts beyond them.
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
