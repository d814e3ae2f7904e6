// How the fluid turns around each particle, for predict.wgsl: the curl of the velocity, and how large it is.

struct Own {
  velocity: Vector,
  curl: vec3f,
}

fn begin(particle: Particle) -> Own {
  return Own(load_vector(velocities[id_of(particle.slot)]), vec3f());
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let apart = load_vector(velocities[id_of(other.slot)]) - (*own).velocity;
  (*own).curl += cross(with_last(slope_at(particle, other), 0.0).xyz, with_last(apart, 0.0).xyz);
}

fn finish(own: Own, particle: Particle) {
  curls[particle.slot] = vec4f(own.curl, length(own.curl));
}
