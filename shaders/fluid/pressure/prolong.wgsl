// Adds the solution of the next coarser level to that of `level`. Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: WORKGROUP, is_over, linear_index, level, cell_at, entry_at, diagonal, solution.

@compute @workgroup_size(WORKGROUP)
fn prolong(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (is_over()) {
    return;
  }
  let index = linear_index(group, groups, thread);
  if (index >= level.cells.x * level.cells.y * level.cells.z) {
    return;
  }
  let at = cell_at(index, level.cells);
  let entry = entry_at(at, level.strides);
  if (diagonal[entry] > 0.0) {
    solution[entry] += solution[entry_at(at / 2u, level.coarse_strides)];
  }
}
