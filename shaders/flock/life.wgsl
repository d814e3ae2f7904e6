// Particle life: attraction depends on the species of both particles. Particles nearer than the core, a share of the
// reach, repel each other. Beyond the core, the attraction is strongest halfway between core and reach; it is 0 at the
// core and at the reach. Host: src/methods/flock/life.ts.
// Needs: Particle, parameters, species, id_of, Neighbour, attraction, heading, velocities, moved, positions.

struct Own {
  // The index of the first attraction of the particle's species.
  row: u32,
  pull: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(parameters.kinds * species[id_of(particle.slot)], Vector());
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let distance = sqrt(other.distance_squared);
  let share = distance / parameters.reach;
  let wanted = attraction[(*own).row + species[id_of(other.slot)]];
  let hill = 1.0 - abs(2.0 * share - 1.0 - parameters.core) / (1.0 - parameters.core);
  let pull = select(wanted * hill, share / parameters.core - 1.0, share < parameters.core);
  (*own).pull -= pull * heading(other.apart, distance, particle.slot, other.slot);
}

fn finish(own: Own, particle: Particle) {
  let id = id_of(particle.slot);
  let velocity = parameters.kept * load_vector(velocities[id]) + parameters.dt * parameters.strength * own.pull;
  let motion = moved(particle.position, velocity);
  positions[id] = store_vector(motion.position);
  velocities[id] = store_vector(motion.velocity);
}
