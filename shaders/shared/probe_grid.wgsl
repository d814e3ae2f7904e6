// The neighbour loop over the grid. Needs params and of the kernel:
//   start: array<u32>, position_in: array<Stored>, struct Visitor,
//   fn visit(visitor: ptr<function, Visitor>, other: u32, apart: Vector, distance_squared: f32).
// Calls visit for every other particle nearer than a reach up to the cell size, slots ascending; `apart` points from the other
// to this one. Cells of a row are neighbours in memory, so three cells are one range; the ring of empty cells
// makes every row exist. A `cell` past the last has no neighbours.

// The three ranges of a layer run as one loop: threads in lockstep then wait for the longest sum of three,
// not three times for the longest.
fn probe(
  visitor: ptr<function, Visitor>,
  slot: u32,
  cell: u32,
  position: Vector,
  reach_squared: f32,
  thread: u32,
) {
  if (cell >= grid.cell_count) {
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
    // Never more than all, so that not even a broken grid holds up the device.
    let third_end = min(second_end + start[above + 2u] - third, grid.count);
    for (var index = 0u; index < third_end; index++) {
      var other = first + index;
      if (index >= first_end) {
        other = second + (index - first_end);
      }
      if (index >= second_end) {
        other = third + (index - second_end);
      }
      let apart = position - load_vector(position_in[other]);
      let distance_squared = dot(apart, apart);
      if (distance_squared < reach_squared && other != slot) {
        visit(visitor, other, apart, distance_squared);
      }
    }
  }
}

// Particles that the probe tests, this one left out.
fn count_candidates(cell: u32) -> u32 {
  if (cell >= grid.cell_count) {
    return 0u;
  }
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
