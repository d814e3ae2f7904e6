// The neighbour loop over the grid. Needs params, cells, and of the kernel:
//   start: array<u32>, position_in: array<Stored>, struct Visitor,
//   fn visit(visitor: ptr<function, Visitor>, other: u32, other_position: Vector).
// Calls visit for every other particle in the 3×3 (3×3×3) cells around `cell`, slots ascending.
// Cells of a row are adjacent in memory, so each row is one range. A `cell` past the last probes nothing.

fn probe(visitor: ptr<function, Visitor>, slot: u32, cell: u32, thread: u32) {
  if (cell >= grid.cell_count) {
    return;
  }
  let limits = Lattice(grid.cells);
  let centre = unflatten(cell, grid.cells);
  let first = u32(max(centre.x - 1, 0));
  let last = u32(min(centre.x + 1, limits.x - 1));
  for (var row = 0; row < ROWS; row++) {
    var line = centre + row_offset(row);
    if (any(line < Lattice()) || any(line >= limits)) {
      continue;
    }
    line.x = 0;
    let base = flatten(line, grid.cells);
    let end = min(start[base + last + 1u], grid.count);
    for (var other = start[base + first]; other < end; other++) {
      if (other != slot) {
        visit(visitor, other, load_vector(position_in[other]));
      }
    }
  }
}
