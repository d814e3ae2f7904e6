// Every visited neighbour overlaps, because radii are equal or the grid tests them itself.
fn touches(particle: Particle, other: Neighbour) -> bool {
  return true;
}
