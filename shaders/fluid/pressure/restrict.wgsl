// Sums the residuals of `level` into the next coarser level, and sets the solution there to 0. Twin:
// src/methods/fluid/reference/multigrid.ts.
// Needs: WORKGROUP, is_over, linear_index, level, cell_at, entry_at, is_cell, diagonal, right, solution, neighbour_sum.

@compute @workgroup_size(WORKGROUP)
fn restrict_residual(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (is_over()) {
    return;
  }
  let index = linear_index(group, groups, thread);
  if (index >= level.coarse_cells.x * level.coarse_cells.y * level.coarse_cells.z) {
    return;
  }
  let at = cell_at(index, level.coarse_cells);
  let coarse = entry_at(at, level.coarse_strides);
  var sum = 0.0;
  for (var child = 0u; child < (1u << DIMENSIONS); child++) {
    let fine_at = 2u * at + vec3u(child & 1u, (child >> 1u) & 1u, child >> 2u);
    if (!is_cell(fine_at, level.cells)) {
      continue;
    }
    let entry = entry_at(fine_at, level.strides);
    if (diagonal[entry] > 0.0) {
      sum += right[entry] - diagonal[entry] * solution[entry] + neighbour_sum(entry);
    }
  }
  right[coarse] = sum;
  solution[coarse] = 0.0;
}
