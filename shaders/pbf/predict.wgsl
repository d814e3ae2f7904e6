// Where particles would go, and how fast, which walls stop. Each takes on some of its neighbours' velocity (XSPH), gravity,
// and where the fluid turns is pushed along, so that eddies last (vorticity confinement).

struct Own {
  velocity: Vector,
  change: Vector,
  // To where the fluid turns faster.
  rise: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocities[id_of(particle.slot)]), Vector(), Vector());
}

// What viscosity does is the same for both, but for the sign: momentum is kept.
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
  let place = clamp(particle.position + parameters.dt * velocity, parameters.lower, parameters.upper);
  let id = id_of(particle.slot);
  predicted[id] = store_vector(wrap(place));
  aims[id] = store_vector((place - particle.position) / parameters.dt);
}
