// The neighbour loop of a bounded world. Calls visit, in ascending order of slots, for particles that are nearer than
// the reach and in the same or an adjacent cell, except slot `except`. With HEAVY, the threads of a workgroup share the
// candidates of a heavy particle.
// Needs: Gathered, Particle, Cell, is_in_grid, grid, start, position_in, visit, Neighbour, cell_of_slot.

// One loop covers three ranges, so threads in lockstep wait once instead of three times.
fn probe(
  gathered: ptr<function, Gathered>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
  if (!is_in_grid(cell)) {
    return;
  }
  for (var layer = 0u; layer < LAYERS; layer++) {
    let centre = layer_centre(cell, layer, grid.cells);
    let below = centre - grid.cells.x;
    let above = centre + grid.cells.x;
    let first = start[below - 1u];
    let second = start[centre - 1u];
    let third = start[above - 1u];
    let first_end = start[below + 2u] - first;
    let second_end = first_end + start[centre + 2u] - second;
    // Bounded, so that a corrupt grid cannot hang the device.
    let third_end = min(second_end + start[above + 2u] - third, grid.count);
    // `left` counts down. A candidate's slot is the base of its range minus `left`. See "Loops that count down" in
    // bench/NOTES.md.
    let first_base = first + third_end;
    let after_first = third_end - first_end;
    let second_base = second + after_first;
    let after_second = third_end - second_end;
    let third_base = third + after_second;
#if HEAVY
    for (var index = thread; index < third_end; index += HEAVY_WORKGROUP_SIZE) {
      let left = third_end - index;
#else
    for (var left = third_end; left > 0u; left--) {
#endif
      let later_base = select(second_base, third_base, left <= after_second);
      let other = select(first_base, later_base, left <= after_first) - left;
      let apart = particle.position - body_position(position_in[other]);
      let distance_squared = dot(apart, apart);
      if (distance_squared < reach_squared && other != except) {
        visit(gathered, particle, Neighbour(other, apart, distance_squared));
      }
    }
  }
}

#if CROWDS
fn is_heavy(slot: u32) -> bool {
  let cell = cell_of_slot[slot];
  var heavy = false;
  for (var layer = 0u; layer < LAYERS; layer++) {
    var candidates = 0u;
    var centre = layer_centre(cell, layer, grid.cells) - grid.cells.x;
    for (var row = 0u; row < 3u; row++) {
      candidates += start[centre + 2u] - start[centre - 1u];
      centre += grid.cells.x;
    }
    heavy = heavy || candidates > 3u * HEAVY_ROW;
  }
  return heavy;
}
#endif

// Counts candidates without the particle itself. The cell must be in the grid.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  var candidates = 0u;
  for (var layer = 0u; layer < LAYERS; layer++) {
    var centre = layer_centre(cell, layer, grid.cells) - grid.cells.x;
    for (var row = 0u; row < 3u; row++) {
      candidates += start[centre + 2u] - start[centre - 1u];
      centre += grid.cells.x;
    }
  }
  return candidates - 1u;
}
