// Returns the sum of coupling · `solution` over the neighbours of a cell of `level`. Linked with kernels of the V-cycle.
// Needs: level, coupling, solution.

fn neighbour_sum(entry: u32) -> f32 {
  var sum = 0.0;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let stride = level.strides[axis];
    let face = axis * level.cells.w + entry;
    sum += coupling[face] * solution[entry - stride] + coupling[face + stride] * solution[entry + stride];
  }
  return sum;
}
