// First of a step: where particles would go. Each takes on some of its neighbours' velocity (XSPH), and gravity.

struct Own {
  velocity: Vector,
  change: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocities[id_of(particle.slot)]), Vector());
}

// The same for both, but for the sign: momentum is kept.
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let apart = load_vector(velocities[id_of(other.slot)]) - (*own).velocity;
  (*own).change += weight_at(other.distance_squared) * apart;
}

fn finish(own: Own, particle: Particle) {
  let velocity = own.velocity + parameters.viscosity * own.change + parameters.dt * parameters.gravity;
  let place = particle.position + parameters.dt * velocity;
  predicted[id_of(particle.slot)] = store_vector(clamp(place, parameters.lower, parameters.upper));
}
