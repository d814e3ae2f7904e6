// Reads obstacles of one radius, which are sorted into cells. Layout, in words:
// - the first slot of each bucket, then the end
// - the positions in canonical order, OBSTACLE_WORDS for each
// - in the unbounded world, the cells of the obstacles, OBSTACLE_WORDS for each
// Needs: obstacle_word, obstacle_vector, grid, OBSTACLE_WORDS.

fn obstacle_start(bucket: u32) -> u32 {
  return obstacle_word(bucket);
}

fn obstacle_position(obstacle: u32) -> Vector {
  return obstacle_vector(grid.cell_count + 1u + obstacle * OBSTACLE_WORDS);
}

#if EXACT
// Returns the position of an obstacle in an exact simulation.
fn obstacle_quanta(obstacle: u32) -> Lattice {
  let first = grid.cell_count + 1u + obstacle * OBSTACLE_WORDS;
  var quanta = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    quanta[axis] = bitcast<i32>(obstacle_word(first + axis));
  }
  return quanta;
}
#endif

struct ObstacleSpan {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}
