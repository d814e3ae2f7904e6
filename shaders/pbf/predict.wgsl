// Predicts positions and velocities. Viscosity is XSPH. Vorticity confinement pushes particles along eddies, so that
// eddies last.
// Needs: Particle, velocities, id_of, Neighbour, weight_at, parameters, curls, slope_at, spatial, load_curl, predicted.
// Needs: wrap, aims.

struct Own {
  velocity: Vector,
  change: Vector,
  rise: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocities[id_of(particle.slot)]), Vector(), Vector());
}

// Viscosity changes the velocities of a pair by opposite amounts, so momentum stays.
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let apart = load_vector(velocities[id_of(other.slot)]) - (*own).velocity;
  (*own).change += weight_at(other.distance_squared) * apart;
  if (parameters.vorticity > 0.0) {
    (*own).rise += length(load_vector(curls[other.slot])) * slope_at(particle, other);
  }
}

fn finish(own: Own, particle: Particle) {
  var push = parameters.gravity;
  if (parameters.vorticity > 0.0) {
    let inwards = own.rise / max(length(own.rise), 1e-30);
    let along = cross(spatial(inwards), load_curl(curls[particle.slot]));
    push += parameters.vorticity * upper_of(vec4f(along, 0.0));
  }
  let velocity = own.velocity + parameters.viscosity * own.change + parameters.dt * push;
  let position = clamp(particle.position + parameters.dt * velocity, parameters.lower, parameters.upper);
  let id = id_of(particle.slot);
  predicted[id] = store_vector(wrap(position));
  aims[id] = store_vector((position - particle.position) / parameters.dt);
}
