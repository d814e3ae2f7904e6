// The grid's cells suit the largest body; the kernel looks up radii by id.
fn touches(particle: Particle, other: Neighbour) -> bool {
  let reach = radii[id_of(particle.slot)] + radii[id_of(other.slot)];
  return other.distance_squared < reach * reach;
}
