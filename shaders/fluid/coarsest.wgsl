// Solves the coarsest level, of at most WORKGROUP cells, by rounds of Gauss–Seidel there and back. One workgroup, a thread a
// cell. Twin: src/fluid/reference/multigrid.ts.

@compute @workgroup_size(WORKGROUP)
fn solve_coarsest(@builtin(local_invocation_index) thread: u32) {
  let at = cell_at(thread, level.cells);
  let is_own = is_cell(at, level.cells);
  let entry = entry_at(at, level.strides);
  let colour = (at.x + at.y + at.z) & 1u;
  for (var round = 0u; round < 4u * COARSEST_ROUNDS; round++) {
    // Red, black and so on; on the way back black, red.
    let back = select(0u, 1u, round >= 2u * COARSEST_ROUNDS);
    if (is_own && colour == ((round + back) & 1u)) {
      let weight = diagonal[entry];
      if (weight > 0.0) {
        solution[entry] = (right[entry] + pulled(entry)) / weight;
      }
    }
    storageBarrier();
  }
}
