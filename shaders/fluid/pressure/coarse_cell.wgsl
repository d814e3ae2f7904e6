// Computes the coefficients of a cell on the next coarser level than `level`:
// - coupling across a face = ½ Σ finer couplings across the face
// - diagonal = ½ Σ finer diagonals − Σ couplings inside the cell
// Linked with coarsen.wgsl and coarsen_tail.wgsl. Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: cell_at, level, entry_at, is_cell, diagonal, coupling, LEAST_DIAGONAL.

fn coarsen_cell(index: u32) {
  let at = cell_at(index, level.coarse_cells);
  let coarse = entry_at(at, level.coarse_strides);
  let total = level.cells.w;
  var sum = 0.0;
  var inner = 0.0;
  var outer = vec3f();
  for (var child = 0u; child < (1u << DIMENSIONS); child++) {
    let part = vec3u(child & 1u, (child >> 1u) & 1u, child >> 2u);
    let fine_at = 2u * at + part;
    if (!is_cell(fine_at, level.cells)) {
      continue;
    }
    let fine = entry_at(fine_at, level.strides);
    let own = diagonal[fine];
    if (own == 0.0) {
      continue;
    }
    sum += 0.5 * own;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      // A coupling with air is part of the diagonal only.
      if (diagonal[fine - level.strides[axis]] == 0.0) {
        continue;
      }
      let value = coupling[axis * total + fine];
      if (part[axis] == 1u) {
        inner += value;
      } else {
        outer[axis] += 0.5 * value;
      }
    }
  }
  let rest = sum - inner;
  diagonal[coarse] = select(0.0, rest, rest >= LEAST_DIAGONAL);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    coupling[axis * total + coarse] = outer[axis];
  }
}
