// Obstacles of one radius, in the cells of the particles' world. Layout of their words:
// - the first slot of each bucket, then the end
// - the positions in canonical order
// - in the unbounded world, the cells
// Linked after obstacles.wgsl and before obstacles/dense.wgsl or obstacles/unbounded.wgsl. OBSTACLE_WORDS is the number
// of words per stored vector.
// Needs: obstacle_word, obstacle_vector, grid, OBSTACLE_WORDS.

fn obstacle_start(bucket: u32) -> u32 {
  return obstacle_word(bucket);
}

fn obstacle_position(obstacle: u32) -> Vector {
  return obstacle_vector(grid.cell_count + 1u + obstacle * OBSTACLE_WORDS);
}

// The slots of the obstacles in three cells of a row: one range, or two.
struct ObstacleSpan {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}
