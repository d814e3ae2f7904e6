// How full each cell is: 1 where as many particles are around its middle as there should be, beside solids too. Twin:
// src/fluid/reference/cells.ts.

// Of the weight of one cell's middle, what falls to that cell and to the one on either side, along one axis.
const OWN_SHARE = 0.75;
const SIDE_SHARE = 0.125;

@compute @workgroup_size(WORKGROUP)
fn fill(
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
  if (!is_cell(at, frame.cells) || kinds[entry] >= SOLID) {
    fullness[entry] = 0.0;
    return;
  }
  var free = 0.0;
  let depth = i32(DIMENSIONS) - 2;
  for (var z = -depth; z <= depth; z++) {
    for (var y = -1; y <= 1; y++) {
      for (var x = -1; x <= 1; x++) {
        let beside = vec3i(at) + vec3i(x, y, z);
        if (any(beside < vec3i(0)) || kinds[entry_at(vec3u(beside), frame.strides)] >= SOLID) {
          continue;
        }
        let share = select(vec3f(SIDE_SHARE), vec3f(OWN_SHARE), vec3i(x, y, z) == vec3i(0));
        free += share.x * share.y * select(1.0, share.z, DIMENSIONS == 3u);
      }
    }
  }
  fullness[entry] = crowd[entry] * frame.rules.z / free;
}
