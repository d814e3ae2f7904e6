// Loops over obstacles of one radius around a particle, row by row. The broad phases `grid` and `naive` both use this
// loop, so their sums over obstacles have the same bits. For each obstacle closer than the diameter, calls the kernel's
//   fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact)
// `obstacle.slot` is the slot among obstacles.
// Needs: ObstacleSum, Particle, lattice_at, obstacle_room, obstacle_span, minimum_image, obstacle_position, substep.
// Needs: is_obstacle_in_row, Neighbour, meet_obstacle, contact_with.

fn probe_obstacles(met: ptr<function, ObstacleSum>, particle: Particle) {
  let lattice = lattice_at(particle.position);
  let room = obstacle_room();
  for (var row = 0u; row < ROWS; row++) {
    let span = obstacle_span(lattice, row);
    let end = min(span.first_length + span.second_length, room);
    for (var index = 0u; index < end; index++) {
      let obstacle =
        select(span.second + (index - span.first_length), span.first + index, index < span.first_length);
      let apart = minimum_image(particle.position, obstacle_position(obstacle));
      let distance_squared = dot(apart, apart);
      if (distance_squared < substep.diameter_squared && is_obstacle_in_row(lattice, row, obstacle)) {
        let other = Neighbour(obstacle, apart, distance_squared);
        meet_obstacle(met, particle, other, contact_with(particle, other));
      }
    }
  }
}
