// Computes the equations of a coarser level. `level` is the finer level. Twin:
// src/methods/fluid/reference/multigrid.ts.
// Needs: WORKGROUP, linear_index, level, coarsen_cell.

@compute @workgroup_size(WORKGROUP)
fn coarsen(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_index(group, groups, thread);
  if (index < level.coarse_cells.x * level.coarse_cells.y * level.coarse_cells.z) {
    coarsen_cell(index);
  }
}
