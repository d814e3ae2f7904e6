// Words of obstacles, which src/engine/simulation/obstacles.ts writes behind the cell starts, to save a binding.
// Needs: start, grid.

fn obstacle_word(index: u32) -> u32 {
  return start[grid.first_obstacle + index];
}

fn obstacle_vector(word: u32) -> Vector {
  var vector = Vector();
  vector.x = bitcast<f32>(obstacle_word(word));
  vector.y = bitcast<f32>(obstacle_word(word + 1u));
  if (DIMENSIONS == 3u) {
    vector[DIMENSIONS - 1u] = bitcast<f32>(obstacle_word(word + 2u));
  }
  return vector;
}

fn obstacle_words() -> u32 {
  return arrayLength(&start) - grid.first_obstacle;
}
