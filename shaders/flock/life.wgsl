// Particle life: whom a particle is drawn to depends on the species of both. Too near they all push each other away; from
// there on the pull rises to the full wish half way to the reach, and falls to nothing at it. Linked with motion; buffers
// and parameters: src/methods/flock/life.ts.

struct Own {
  // First entry of its species in the table of wishes.
  wishes: u32,
  pull: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(parameters.kinds * species[id_of(particle.slot)], Vector());
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let distance = sqrt(other.distance_squared);
  let share = distance / parameters.reach;
  let wish = attraction[(*own).wishes + species[id_of(other.slot)]];
  let hill = 1.0 - abs(2.0 * share - 1.0 - parameters.core) / (1.0 - parameters.core);
  let pull = select(wish * hill, share / parameters.core - 1.0, share < parameters.core);
  (*own).pull -= pull * heading(other.apart, distance, particle.slot, other.slot);
}

fn finish(own: Own, particle: Particle) {
  let id = id_of(particle.slot);
  let velocity = parameters.kept * load_vector(velocities[id]) + parameters.dt * parameters.strength * own.pull;
  let motion = moved(particle.position, velocity);
  positions[id] = store_vector(motion.place);
  velocities[id] = store_vector(motion.velocity);
}
