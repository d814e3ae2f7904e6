// Particle life: the attraction between two particles depends on the species of both. Particles nearer than the core
// distance always push each other away. Beyond the core, the pull rises to the full attraction halfway between core and
// reach, and falls to 0 at the reach. `parameters.core` is the core distance as a share of the reach. Linked with
// motion.wgsl. Buffers and parameters: src/methods/flock/life.ts.
// Needs: Particle, parameters, species, id_of, Neighbour, attraction, heading, velocities, moved, positions.

struct Own {
  // The first entry of the particle's species in the table of attractions.
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
