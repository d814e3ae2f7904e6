// Obstacles in the cells of the particles' own world, all of one radius. Words: a first slot for each bucket and one more,
// then positions in canonical order, then (unbounded world) their cells. After obstacles.wgsl, before one of
// obstacles_dense.wgsl and obstacles_unbounded.wgsl; OBSTACLE_WORDS is those of a stored vector.

fn obstacle_start(bucket: u32) -> u32 {
  return obstacle_word(bucket);
}

fn obstacle_position(obstacle: u32) -> Vector {
  return obstacle_vector(grid.cell_count + 1u + obstacle * OBSTACLE_WORDS);
}

// Slots of obstacles in three cells of a row: one range, or two.
struct ObstacleSpan {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}
