// Obstacles, the particles that never move, for kernels over those that do. All that a probe asks for is in words behind the
// starts of the particles, so that it takes no binding more; src/engine/simulation/obstacles.ts writes them. What they are, one of
// obstacles_dense.wgsl, obstacles_unbounded.wgsl and obstacles_tree.wgsl says. Needs params and, of the kernel, start:
// array<u32>.

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

// Words that obstacles have room for.
fn obstacle_words() -> u32 {
  return arrayLength(&start) - grid.first_obstacle;
}
