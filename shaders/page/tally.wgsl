// Counts the neighbours of each particle, for colours. Inputs: sorted positions on a fresh grid, and for each sorted
// slot the original slot. Output: a count per original slot. Host: src/page/view/tally.ts.

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
