// The normal at which a particle hits an obstacle.
// Needs: obstacle_body, minimum_image, normal_near, nearness_to_obstacle, normal_of_balls, obstacle_position.

fn normal_at_obstacle(position: Vector, body: PackedBody, obstacle: u32) -> Vector {
#if VARIABLE_RADII
  let other = obstacle_body(obstacle);
  let apart = minimum_image(position, body_position(other));
#if HAS_BOXES
  return normal_near(apart, nearness_to_obstacle(body, other));
#else
  return normal_of_balls(apart);
#endif
#else
  return normal_of_balls(minimum_image(position, obstacle_position(obstacle)));
#endif
}
