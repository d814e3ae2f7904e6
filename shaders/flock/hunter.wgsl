// Steers each hunter to the middle of the boids that it sees. Host: src/methods/flock/flock.ts.
// Needs: Particle, Neighbour, parameters, shunned_obstacles, steered, hunting, flown, spheres.

struct Own {
  apart: Vector,
  weight: f32,
}

fn begin(particle: Particle) -> Own {
  return Own();
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let weight = 1.0 - sqrt(other.distance_squared) / parameters.fear;
  (*own).weight += weight;
  (*own).apart += weight * other.apart;
}

fn finish(own: Own, particle: Particle) {
  // The buffer `hunting` holds the positions of all hunters, then their velocities.
  let speed_at = parameters.hunters + particle.slot;
  let push = parameters.avoidance * shunned_obstacles(particle.position)
    - parameters.hunting / max(own.weight, 1.0) * own.apart;
  let velocity = steered(load_vector(hunting[speed_at]), push, 0.0, parameters.hunter_speed);
  let motion = flown(particle.position, velocity);
  hunting[particle.slot] = store_vector(motion.position);
  hunting[speed_at] = store_vector(motion.velocity);
  spheres[particle.slot].centre = motion.position;
}
