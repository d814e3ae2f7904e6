// Loops over obstacles around a particle of an exact simulation, like probe_cells.wgsl. Whole numbers alone decide. For
// each overlap, calls the kernel's
//   fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact)
// `obstacle.slot` is the slot among obstacles; the other fields of `obstacle` are 0.
// Needs: grid, OBSTACLE_WORDS, obstacle_word, ObstacleSum, Particle, quanta_at, lattice_at, obstacle_room.
// Needs: obstacle_span, exact_obstacle_contact, meet_obstacle, Neighbour.

fn obstacle_quanta(obstacle: u32) -> Lattice {
  let first = grid.cell_count + 1u + obstacle * OBSTACLE_WORDS;
  var quanta = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    quanta[axis] = bitcast<i32>(obstacle_word(first + axis));
  }
  return quanta;
}

fn probe_obstacles(met: ptr<function, ObstacleSum>, particle: Particle) {
  probe_obstacles_at(met, particle, quanta_at(particle.slot));
}

// Looks around a position in the world.
fn probe_obstacles_at(met: ptr<function, ObstacleSum>, particle: Particle, quanta: Lattice) {
  let lattice = lattice_at(quanta);
  let room = obstacle_room();
  for (var row = 0u; row < ROWS; row++) {
    let span = obstacle_span(lattice, row);
    let end = min(span.first_length + span.second_length, room);
    for (var index = 0u; index < end; index++) {
      let obstacle =
        select(span.second + (index - span.first_length), span.first + index, index < span.first_length);
      let contact = exact_obstacle_contact(quanta, obstacle_quanta(obstacle));
      if (contact.overlap > 0i) {
        meet_obstacle(met, particle, Neighbour(obstacle, Vector(), 0.0), contact);
      }
    }
  }
}
