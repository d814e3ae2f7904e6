// Computes the density as a share of the rest density, and λ of Macklin and Müller, "Position Based Fluids", 2013.
// Needs: Particle, parameters, Neighbour, slope_at, weight_at, walls_at, solids_at, lambdas, densities, id_of.

struct Own {
  density: f32,
  gradient: Vector,
  squares: f32,
}

fn begin(particle: Particle) -> Own {
  return Own(parameters.weight, Vector(), 0.0);
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let slope = slope_at(particle, other);
  (*own).density += weight_at(other.distance_squared);
  (*own).gradient += slope;
  (*own).squares += dot(slope, slope);
}

fn finish(own: Own, particle: Particle) {
  let walls = walls_at(particle.position);
  let bodies = solids_at(particle.position);
  let density = own.density + walls.density + bodies.density;
  let gradient = own.gradient + walls.gradient + bodies.gradient;
  let excess = density - 1.0;
  // Tension pulls the fluid together below the rest density.
  let violation = max(excess, parameters.tension * excess);
  lambdas[particle.slot] = -violation / (dot(gradient, gradient) + own.squares + parameters.softness);
  densities[id_of(particle.slot)] = density;
}
