// Visited neighbours are nearer than the largest diameter, but they may be farther than the sum of the two radii.
// `radii` has a radius per id.
fn touches(particle: Particle, other: Neighbour) -> bool {
  let reach = radii[id_of(particle.slot)] + radii[id_of(other.slot)];
  return other.distance_squared < reach * reach;
}
