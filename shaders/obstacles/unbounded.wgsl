// Rows of obstacles in an unbounded world. dense.wgsl defines the same names.
// Needs: obstacle_words, grid, OBSTACLE_WORDS, ObstacleSpan, block_of, obstacle_start, bucket_at, obstacle_word.

// Returns how many obstacles fit into the buffer; each takes a position and a cell. Loops run at most this often, so a
// corrupt grid cannot hang the device.
fn obstacle_room() -> u32 {
  return (obstacle_words() - grid.cell_count - 1u) / (2u * OBSTACLE_WORDS);
}

fn obstacle_span(lattice: Lattice, row: u32) -> ObstacleSpan {
  let middle = lattice + row_offset(row);
  let column = u32(middle.x) & (HASH_BLOCK - 1u);
  let base = block_of(middle);
  let low = select(column - 1u, 0u, column == 0u);
  let high = min(column + 1u, HASH_BLOCK - 1u);
  let first = obstacle_start(base + low);
  var span = ObstacleSpan(first, obstacle_start(base + high + 1u) - first, 0u, 0u);
  if (column == 0u || column == HASH_BLOCK - 1u) {
    var beyond = middle;
    beyond.x += select(1, -1, column == 0u);
    let bucket = bucket_at(beyond);
    span.second = obstacle_start(bucket);
    span.second_length = obstacle_start(bucket + 1u) - span.second;
  }
  return span;
}

// Returns whether the obstacle's cell is in the row. Buckets of the row may also hold obstacles of other cells.
fn is_obstacle_in_row(lattice: Lattice, row: u32, obstacle: u32) -> bool {
  let first = grid.cell_count + 1u + (obstacle_room() + obstacle) * OBSTACLE_WORDS;
  var cell = Lattice();
  cell.x = bitcast<i32>(obstacle_word(first));
  cell.y = bitcast<i32>(obstacle_word(first + 1u));
  if (DIMENSIONS == 3u) {
    cell[DIMENSIONS - 1u] = bitcast<i32>(obstacle_word(first + 2u));
  }
  return all(abs(cell - lattice - row_offset(row)) <= ALONG_X);
}
