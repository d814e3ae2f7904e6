// Runs one Gauss–Seidel pass over one colour of a checkerboard of cells. It reads only neighbours of the other colour.
// Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: WORKGROUP, is_over, linear_index, level, COLOUR, is_cell, entry_at, diagonal, solution, right, neighbour_sum.

@compute @workgroup_size(WORKGROUP)
fn smooth_colour(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  if (is_over()) {
    return;
  }
  let index = linear_index(group, groups, thread);
  let half = (level.cells.x + 1u) / 2u;
  let row = index / half;
  let y = row % level.cells.y;
  let z = row / level.cells.y;
  let at = vec3u(2u * (index % half) + ((y + z + COLOUR) & 1u), y, z);
  if (!is_cell(at, level.cells)) {
    return;
  }
  let entry = entry_at(at, level.strides);
  let weight = diagonal[entry];
  if (weight > 0.0) {
    solution[entry] = (right[entry] + neighbour_sum(entry)) / weight;
  }
}
