// Moves each particle by the sum over its neighbours of
//   (own λ + neighbour's λ − artificial pressure) · gradient of the density that the neighbour adds.
// density.wgsl computes λ. Artificial pressure keeps neighbours from coming very near. Adds the move, divided by the
// time step, to `aims`.
// Needs: Particle, lambdas, Neighbour, weight_at, parameters, slope_at, walls_at, solids_at, outside_solids, id_of.
// Needs: predicted, wrap, aims.

struct Own {
  lambda: f32,
  push: Vector,
}

fn begin(particle: Particle) -> Own {
  return Own(lambdas[particle.slot], Vector());
}

// The particles of a pair get opposite pushes, so this sum keeps momentum.
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let share = weight_at(other.distance_squared) / parameters.near_weight;
  let pressure = parameters.pressure * (share * share) * (share * share);
  (*own).push += ((*own).lambda + lambdas[other.slot] - pressure) * slope_at(particle, other);
}

fn finish(own: Own, particle: Particle) {
  let bounds = walls_at(particle.position).gradient + solids_at(particle.position).gradient;
  let push = own.push + own.lambda * bounds;
  let size = length(push);
  let limited = push * (min(size, 0.5 * parameters.radius) / max(size, 1e-30));
  let free = outside_solids(clamp(particle.position + limited, parameters.lower, parameters.upper));
  let position = clamp(free, parameters.lower, parameters.upper);
  let id = id_of(particle.slot);
  predicted[id] = store_vector(wrap(position));
  aims[id] = store_vector(load_vector(aims[id]) + (position - particle.position) / parameters.dt);
}
