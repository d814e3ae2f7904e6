// Rows of cells in the unbounded world. Twin: src/reference/query/probe.ts.
// Needs: Span, block_of, start, bucket_at, Cell, grid, cell_of_slot.

fn row_span(lattice: Lattice, row: u32) -> Span {
  let middle = lattice + row_offset(row);
  let column = u32(middle.x) & (HASH_BLOCK - 1u);
  let base = block_of(middle);
  let low = select(column - 1u, 0u, column == 0u);
  let high = min(column + 1u, HASH_BLOCK - 1u);
  let first = start[base + low];
  var span = Span(first, start[base + high + 1u] - first, 0u, 0u);
  // At an end of a hash block, the cell beyond is in another block.
  if (column == 0u || column == HASH_BLOCK - 1u) {
    var beyond = middle;
    beyond.x += select(1, -1, column == 0u);
    let bucket = bucket_at(beyond);
    span.second = start[bucket];
    span.second_length = start[bucket + 1u] - span.second;
  }
  return span;
}

// Returns true if a candidate's cell is one of the three in the row. Buckets of the row may also hold other cells.
fn is_in_row(lattice: Lattice, row: u32, other: Cell) -> bool {
  let away = load_lattice(other) - lattice - row_offset(row);
  return all(abs(away) <= ALONG_X);
}

fn count_in_row(lattice: Lattice, row: u32) -> u32 {
  let span = row_span(lattice, row);
  let end = min(span.first_length + span.second_length, grid.count);
  var found = 0u;
  for (var index = 0u; index < end; index++) {
    let other =
      select(span.second + (index - span.first_length), span.first + index, index < span.first_length);
    found += select(0u, 1u, is_in_row(lattice, row, cell_of_slot[other]));
  }
  return found;
}
