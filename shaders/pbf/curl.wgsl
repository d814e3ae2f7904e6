// Computes the curl of the velocity, for predict.wgsl.
// Needs: Particle, velocities, id_of, Neighbour, spatial, slope_at, curls, store_curl.

struct Own {
  velocity: Vector,
  curl: vec3f,
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocities[id_of(particle.slot)]), vec3f());
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let apart = load_vector(velocities[id_of(other.slot)]) - (*own).velocity;
  (*own).curl += cross(spatial(slope_at(particle, other)), spatial(apart));
}

fn finish(own: Own, particle: Particle) {
  curls[particle.slot] = store_curl(own.curl);
}
