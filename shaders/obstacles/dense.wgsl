// Rows of obstacles in dense cells. A row that crosses an end of a periodic axis is two ranges.
// Needs: obstacle_words, grid, OBSTACLE_WORDS, ObstacleSpan, obstacle_start.

// Returns how many obstacles fit into the buffer. Loops run at most this often, so a corrupt grid cannot hang the
// device.
fn obstacle_room() -> u32 {
  return (obstacle_words() - grid.cell_count - 1u) / OBSTACLE_WORDS;
}

fn obstacle_span(lattice: Lattice, row: u32) -> ObstacleSpan {
  let cells = Lattice(grid.cells);
  var middle = lattice + row_offset(row);
  middle = select(middle, middle + cells, middle < Lattice());
  middle = select(middle, middle - cells, middle >= cells);
  let index = flatten(middle, grid.cells);
  let last = grid.cells.x - 1u;
  let is_first = middle.x == 0;
  let is_last = u32(middle.x) == last;
  let first = obstacle_start(select(index - 1u, index, is_first));
  var span = ObstacleSpan(first, obstacle_start(select(index + 2u, index + 1u, is_last)) - first, 0u, 0u);
  if (is_first || is_last) {
    let beyond = select(index - last, index + last, is_first);
    span.second = obstacle_start(beyond);
    span.second_length = obstacle_start(beyond + 1u) - span.second;
  }
  return span;
}

fn is_obstacle_in_row(lattice: Lattice, row: u32, obstacle: u32) -> bool {
  return true;
}
