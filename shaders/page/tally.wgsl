// Counts the neighbours of each particle. The page colours particles by this number. The host sorts a copy of the
// particles, in which `id_in` holds slots of the simulation. Host: src/page/view/tally.ts.
// Needs: substep, Particle, Neighbour, tallies, id_in.

struct Gathered {
  found: u32,
}

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Gathered {
  return Gathered();
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  (*gathered).found += 1u;
}

#if HEAVY
fn merge(gathered: ptr<function, Gathered>, other: Gathered) {
  (*gathered).found += other.found;
}
#endif

fn finish(gathered: Gathered, particle: Particle) {
  tallies[id_in[particle.slot]] = gathered.found;
}

fn skip(slot: u32) {
  tallies[id_in[slot]] = 0u;
}
