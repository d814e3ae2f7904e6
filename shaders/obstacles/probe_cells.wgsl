// Loops over obstacles of one radius around a particle, row by row. The broad phases `grid` and `naive` both use this
// loop, so their sums have the same bits. For each obstacle closer than the diameter, calls the kernel's
//   fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact)
// In exact simulations, whole numbers alone decide; `obstacle` then has no more than its slot.
// `obstacle.slot` is the slot among obstacles.
// Needs: ObstacleSum, Particle, cell_of_slot, is_in_grid, lattice_of, obstacle_room, quanta_at, obstacle_span.
// Needs: exact_obstacle_contact, obstacle_quanta, meet_obstacle, Neighbour, minimum_image, obstacle_position, substep.
// Needs: is_obstacle_in_row, contact_with.

fn probe_obstacles(met: ptr<function, ObstacleSum>, particle: Particle) {
  let cell = cell_of_slot[particle.slot];
  if (!is_in_grid(cell)) {
    return;
  }
  let lattice = lattice_of(cell);
  let room = obstacle_room();
#if EXACT
  let quanta = quanta_at(particle.slot);
#endif
  for (var row = 0u; row < ROWS; row++) {
    let span = obstacle_span(lattice, row);
    let end = min(span.first_length + span.second_length, room);
    for (var index = 0u; index < end; index++) {
      let obstacle =
        select(span.second + (index - span.first_length), span.first + index, index < span.first_length);
#if EXACT
      let contact = exact_obstacle_contact(quanta, obstacle_quanta(obstacle));
      if (contact.overlap > 0i) {
        meet_obstacle(met, particle, Neighbour(obstacle, Vector(), 0.0), contact);
      }
#else
      let apart = minimum_image(particle.position, obstacle_position(obstacle));
      let distance_squared = dot(apart, apart);
      if (distance_squared < substep.diameter_squared && is_obstacle_in_row(lattice, row, obstacle)) {
        let other = Neighbour(obstacle, apart, distance_squared);
        meet_obstacle(met, particle, other, contact_with(particle, other));
      }
#endif
    }
  }
}
