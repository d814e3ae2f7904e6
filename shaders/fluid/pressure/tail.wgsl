// Runs the part of the V-cycle over small levels in one workgroup, because a dispatch per pass would take longer than
// the pass itself. Rounds of Gauss–Seidel solve the coarsest level. Twin: src/methods/fluid/reference/multigrid.ts.
// Needs: Level, WORKGROUP, is_cell, entry_at, diagonal, solution, right, neighbour_sum, cell_at, is_over, slots.
// Needs: SMOOTHINGS, COARSEST_ROUNDS.

var<private> level: Level;

fn smooth_all(colour: u32, thread: u32) {
  let half = (level.cells.x + 1u) / 2u;
  let count = half * level.cells.y * level.cells.z;
  for (var index = thread; index < count; index += WORKGROUP) {
    let row = index / half;
    let y = row % level.cells.y;
    let z = row / level.cells.y;
    let at = vec3u(2u * (index % half) + ((y + z + colour) & 1u), y, z);
    if (is_cell(at, level.cells)) {
      let entry = entry_at(at, level.strides);
      let weight = diagonal[entry];
      if (weight > 0.0) {
        solution[entry] = (right[entry] + neighbour_sum(entry)) / weight;
      }
    }
  }
}

fn restrict_all(thread: u32) {
  let count = level.coarse_cells.x * level.coarse_cells.y * level.coarse_cells.z;
  for (var index = thread; index < count; index += WORKGROUP) {
    let at = cell_at(index, level.coarse_cells);
    let coarse = entry_at(at, level.coarse_strides);
    var sum = 0.0;
    for (var child = 0u; child < (1u << DIMENSIONS); child++) {
      let fine_at = 2u * at + vec3u(child & 1u, (child >> 1u) & 1u, child >> 2u);
      if (is_cell(fine_at, level.cells)) {
        let entry = entry_at(fine_at, level.strides);
        if (diagonal[entry] > 0.0) {
          sum += right[entry] - diagonal[entry] * solution[entry] + neighbour_sum(entry);
        }
      }
    }
    right[coarse] = sum;
    solution[coarse] = 0.0;
  }
}

fn prolong_all(thread: u32) {
  let count = level.cells.x * level.cells.y * level.cells.z;
  for (var index = thread; index < count; index += WORKGROUP) {
    let at = cell_at(index, level.cells);
    let entry = entry_at(at, level.strides);
    if (diagonal[entry] > 0.0) {
      solution[entry] += solution[entry_at(at / 2u, level.coarse_strides)];
    }
  }
}

@compute @workgroup_size(WORKGROUP)
fn run_tail(@builtin(local_invocation_index) thread: u32) {
  if (is_over()) {
    return;
  }
  // The struct Level in fluid/shared.wgsl says what coarse_cells.w holds.
  let end = slots[0].level.coarse_cells.w;
  let first = slots[1].level.coarse_cells.w;
  level = slots[first].level;
  for (var index = thread; index < level.cells.x * level.cells.y * level.cells.z; index += WORKGROUP) {
    solution[entry_at(cell_at(index, level.cells), level.strides)] = 0.0;
  }
  storageBarrier();
  for (var index = first; index + 1u < end; index++) {
    level = slots[index].level;
    for (var sweep = 0u; sweep < 2u * SMOOTHINGS; sweep++) {
      smooth_all(sweep & 1u, thread);
      storageBarrier();
    }
    restrict_all(thread);
    storageBarrier();
  }
  level = slots[end - 1u].level;
  for (var sweep = 0u; sweep < 4u * COARSEST_ROUNDS; sweep++) {
    // The first half of these sweeps alternates the colours 0, 1; the second half 1, 0.
    let first_colour = select(0u, 1u, sweep >= 2u * COARSEST_ROUNDS);
    smooth_all((sweep + first_colour) & 1u, thread);
    storageBarrier();
  }
  for (var above = end - 1u; above > first; above--) {
    level = slots[above - 1u].level;
    prolong_all(thread);
    storageBarrier();
    for (var sweep = 0u; sweep < 2u * SMOOTHINGS; sweep++) {
      smooth_all((sweep + 1u) & 1u, thread);
      storageBarrier();
    }
  }
}
