// Copies a list of pairs, so that pair_events.wgsl can compare the next list with it. If the list was too short
// (count[0] pairs found, count[1] listed), the previous copy stays.
// Needs: linear_workgroup, offsets, count, offsets_before, stretch_of, pairs, pairs_before.

@compute @workgroup_size(WORKGROUP_SIZE)
fn keep(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= arrayLength(&offsets) || count[0] != count[1]) {
    return;
  }
  offsets_before[id] = offsets[id];
  if (id + 1u == arrayLength(&offsets)) {
    return;
  }
  let stretch = stretch_of(offsets[id], offsets[id + 1u], arrayLength(&pairs));
  for (var index = 0u; index < stretch.room; index++) {
    pairs_before[stretch.first + index] = pairs[stretch.first + index];
  }
}
