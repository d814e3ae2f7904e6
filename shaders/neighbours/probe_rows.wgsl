// Like probe_bounded.wgsl, but for the periodic and the unbounded world, where three cells of a row may be two ranges
// of slots. In the unbounded world, the slots of neighbours do not always ascend.
// Needs: Gathered, Particle, Cell, is_in_grid, lattice_of, row_span, grid, minimum_image, position_in, is_in_row.
// Needs: cell_of_slot, visit, Neighbour, count_in_row.

// The slots of three cells of a row: one range, or two.
struct Span {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}

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
  let lattice = lattice_of(cell);
  for (var row = 0u; row < ROWS; row++) {
    let span = row_span(lattice, row);
    // The limit keeps a corrupt grid from hanging the device.
    let end = min(span.first_length + span.second_length, grid.count);
    // `left` counts down, as in probe_bounded.wgsl.
    let first_base = span.first + end;
    let after_first = end - span.first_length;
    let second_base = span.second + after_first;
#if HEAVY
    for (var index = thread; index < end; index += HEAVY_WORKGROUP_SIZE) {
      let left = end - index;
#else
    for (var left = end; left > 0u; left--) {
#endif
      let other = select(first_base, second_base, left <= after_first) - left;
      let apart = minimum_image(particle.position, body_position(position_in[other]));
      let distance_squared = dot(apart, apart);
      if (
        distance_squared < reach_squared && other != except && is_in_row(lattice, row, cell_of_slot[other])
      ) {
        visit(gathered, particle, Neighbour(other, apart, distance_squared));
      }
    }
  }
}

#if CROWDS
fn is_heavy(slot: u32) -> bool {
  let cell = cell_of_slot[slot];
  let lattice = lattice_of(cell);
  var heavy = false;
  for (var row = 0u; row < ROWS; row++) {
    let span = row_span(lattice, row);
    heavy = heavy || span.first_length + span.second_length > HEAVY_ROW;
  }
  return heavy;
}
#endif

// Counts candidates without the particle itself. The cell must be in the grid.
fn count_candidates(slot: u32, cell: Cell) -> u32 {
  let lattice = lattice_of(cell);
  var candidates = 0u;
  for (var row = 0u; row < ROWS; row++) {
    candidates += count_in_row(lattice, row);
  }
  return candidates - 1u;
}
