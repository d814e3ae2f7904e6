// The particles that never move, for kernels over those that do. One buffer holds all that a probe asks for, so that
// it takes one binding: words of `start` (a first slot for each bucket, one entry more), then the positions in
// canonical order, then (unbounded world) their cells. Built by src/engine/obstacles.ts in the cells of the same
// world. Needs params and, of the kernel, obstacles: array<u32>; OBSTACLE_WORDS is those of a stored vector.

fn obstacle_start(bucket: u32) -> u32 {
  return obstacles[bucket];
}

fn obstacle_position(obstacle: u32) -> Vector {
  let first = grid.cell_count + 1u + obstacle * OBSTACLE_WORDS;
  var position = Vector();
  position.x = bitcast<f32>(obstacles[first]);
  position.y = bitcast<f32>(obstacles[first + 1u]);
  if (DIMENSIONS == 3u) {
    position[DIMENSIONS - 1u] = bitcast<f32>(obstacles[first + 2u]);
  }
  return position;
}

// Slots of obstacles in three cells of a row: one range, or two.
struct ObstacleSpan {
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}
