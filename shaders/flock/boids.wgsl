// Boids turn away from near neighbours, align with all neighbours and stay near them. Weights fall to 0 at the limit of
// perception, so motion is smooth. Host: src/methods/flock/flock.ts.
// Needs: Particle, velocity_of, Neighbour, parameters, heading, shunned_obstacles, shunned, spheres, steered, flown.
// Needs: id_of, positions, velocities.

struct Own {
  velocity: Vector,
  // The weighted sum of the directions away from neighbours nearer than the spacing.
  parting: Vector,
  // The weighted sum of the velocities of neighbours, relative to this boid.
  others: Vector,
  // The weighted sum of the vectors from neighbours to this boid.
  apart: Vector,
  weight: f32,
}

fn begin(particle: Particle) -> Own {
  var own = Own();
  own.velocity = velocity_of(particle.slot);
  return own;
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let distance = sqrt(other.distance_squared);
  let weight = 1.0 - distance / parameters.perception;
  (*own).weight += weight;
  (*own).others += weight * (velocity_of(other.slot) - (*own).velocity);
  (*own).apart += weight * other.apart;
  let crowding = max(0.0, 1.0 - distance / parameters.spacing);
  (*own).parting += crowding * heading(other.apart, distance, particle.slot, other.slot);
}

fn finish(own: Own, particle: Particle) {
  // A total weight below 1 counts as 1, so that one distant neighbour has little effect.
  let share = 1.0 / max(own.weight, 1.0);
  var push = parameters.separation * own.parting
    + share * (parameters.alignment * own.others - parameters.cohesion * own.apart)
    + parameters.avoidance * shunned_obstacles(particle.position);
  for (var hunter = 0u; hunter < parameters.hunters; hunter++) {
    push += parameters.flight * shunned(particle.position, spheres[hunter], parameters.fear);
  }
  let velocity = steered(own.velocity, push, parameters.slowest, parameters.fastest);
  let motion = flown(particle.position, velocity);
  let id = id_of(particle.slot);
  positions[id] = store_vector(motion.position);
  velocities[id] = store_vector(motion.velocity);
}
