// How many others are near each particle, for colours. Inputs: sorted positions on a fresh grid, and of each sorted
// slot the slot it came from. Output: a count for each of those. Host: src/page/view/tally.ts.

struct Own {
  found: u32,
}

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Own {
  return Own();
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  (*own).found += 1u;
}

#if HEAVY
fn merge(own: ptr<function, Own>, other: Own) {
  (*own).found += other.found;
}
#endif

fn finish(own: Own, particle: Particle) {
  tallies[id_in[particle.slot]] = own.found;
}

fn skip(slot: u32) {
  tallies[id_in[slot]] = 0u;
}
