// Counts the pairs of a list. `list_count` has the number of pairs found, then the number listed.

@compute @workgroup_size(WORKGROUP_SIZE)
fn count_listed(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (index >= list_count[1]) {
    return;
  }
  var found = Found();
  find_pair(&found, pairs[index].x, pairs[index].y);
  fold_found(found, index);
}
