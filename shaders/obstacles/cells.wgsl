// Reads obstacles of one radius, which are sorted into cells. Layout, in words:
// - the first slot of each bucket, then the end
// - the positions in canonical order, OBSTACLE_WORDS for each
// - in an unbounded world, the cells of the obstacles, OBSTACLE_WORDS for each
// Needs: obstacle_word, obstacle_vector, grid, OBSTACLE_WORDS.

fn obstacle_start(bucket: u32) -> u32 {
  return obstacle_word(bucket);
}

fn obstacle_position(obstacle: u32) -> Vector {
  return obstacle_vector(grid.cell_count + 1u + obstacle * OBSTACLE_WORDS);
}

struct ObstacleSpan {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}
