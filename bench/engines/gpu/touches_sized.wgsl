// Visited neighbours are nearer than the largest diameter. Tests the two radii, which it reads by id.
fn touches(particle: Particle, other: Neighbour) -> bool {
  let reach = radii[id_of(particle.slot)] + radii[id_of(other.slot)];
  return other.distance_squared < reach * reach;
}
