// Moves each particle as its own factor and its neighbours' say, and apart from those very near (artificial pressure).
// What it moves is added to the velocity that it set out with.

struct Own {
  lambda: f32,
  push: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(lambdas[particle.slot], Vector());
}

// The same for both, but for the sign: momentum is kept.
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let share = weight_at(other.distance_squared) / parameters.near_weight;
  let pressure = parameters.pressure * (share * share) * (share * share);
  (*own).push += ((*own).lambda + lambdas[other.slot] - pressure) * slope_at(particle, other);
}

fn finish(own: Own, particle: Particle) {
  let bounds = walls_at(particle.position).gradient + solids_at(particle.position).gradient;
  let push = own.push + own.lambda * bounds;
  // A particle goes no farther than half a radius at once, however deep it is in others.
  let size = length(push);
  let limited = push * (min(size, 0.5 * parameters.radius) / max(size, 1e-30));
  let free = outside_solids(clamp(particle.position + limited, parameters.lower, parameters.upper));
  let place = clamp(free, parameters.lower, parameters.upper);
  let id = id_of(particle.slot);
  predicted[id] = store_vector(wrap(place));
  aims[id] = store_vector(load_vector(aims[id]) + (place - particle.position) / parameters.dt);
}
