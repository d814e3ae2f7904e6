// A grid of one size of cells, made for the largest: radii are the caller's, by id.
fn touches(particle: Particle, other: Neighbour) -> bool {
  let reach = radii[id_of(particle.slot)] + radii[id_of(other.slot)];
  return other.distance_squared < reach * reach;
}
