// Rows of cells in a periodic world. Twin: src/reference/query/probe.ts.
// Needs: Span, grid, start, Cell.

// Returns the index of a cell along an axis and those of the two cells beside it, ascending, so that slots ascend.
fn adjacent_indices(cell: u32, count: u32) -> vec3u {
  if (cell == 0u) {
    return vec3u(0u, 1u, count - 1u);
  }
  if (cell == count - 1u) {
    return vec3u(0u, cell - 1u, cell);
  }
  return vec3u(cell - 1u, cell, cell + 1u);
}

fn row_span(lattice: Lattice, row: u32) -> Span {
  let index = row_index(lattice, row);
  let base = index * grid.cells.x;
  let x = u32(lattice.x);
  let last = grid.cells.x - 1u;
  // At an end of the axis there are two ranges, the low one first.
  let low = base + select(x - 1u, 0u, x == 0u || x == last);
  let high = base + select(select(x + 1u, 1u, x == 0u), 0u, x == last);
  let first = start[low];
  var span = Span(first, start[high + 1u] - first, 0u, 0u);
  if (x == 0u || x == last) {
    let other = base + select(last - 1u, last, x == 0u);
    span.second = start[other];
    span.second_length = start[base + last + 1u] - span.second;
  }
  return span;
}

fn row_index(lattice: Lattice, row: u32) -> u32 {
  var index = adjacent_indices(u32(lattice.y), grid.cells.y)[row % 3u];
  if (DIMENSIONS == 3u) {
    index += adjacent_indices(u32(lattice[DIMENSIONS - 1u]), grid.cells[DIMENSIONS - 1u])[row / 3u] * grid.cells.y;
  }
  return index;
}

fn is_in_row(lattice: Lattice, row: u32, other: Cell) -> bool {
  return true;
}

fn count_in_row(lattice: Lattice, row: u32) -> u32 {
  let span = row_span(lattice, row);
  return span.first_length + span.second_length;
}
